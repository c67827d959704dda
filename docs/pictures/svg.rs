//! Terminal output as a drawing.

use std::fmt::Write;

const CHARACTER: f32 = 7.8;
const LINE: f32 = 17.0;
const MARGIN: f32 = 16.0;

/// What the text stands on.
#[derive(Clone, Copy)]
pub enum Ground {
    /// Light text on a dark ground.
    Dark,
    /// Dark text on a light one.
    Light,
}

impl Ground {
    pub fn name(self) -> &'static str {
        match self {
            Ground::Dark => "dark",
            Ground::Light => "light",
        }
    }

    /// Black and white of xterm.
    fn paper(self) -> &'static str {
        match self {
            Ground::Dark => "#000000",
            Ground::Light => "#ffffff",
        }
    }

    /// Text without a colour, as xterm shows it.
    fn ink(self) -> &'static str {
        match self {
            Ground::Dark => "#e5e5e5",
            Ground::Light => "#000000",
        }
    }
}

/// One of the 240 fixed colours of xterm, by the number that selects it. They are the same on any ground.
fn fixed(number: u8) -> Option<String> {
    const STEPS: [u8; 6] = [0x00, 0x5f, 0x87, 0xaf, 0xd7, 0xff];
    let [red, green, blue] = match number {
        ..16 => return None,
        16..232 => [36, 6, 1].map(|place| STEPS.get(usize::from((number - 16) / place % 6)).copied().unwrap_or_default()),
        232.. => [8 + 10 * (number - 232); 3],
    };
    Some(format!("#{red:02x}{green:02x}{blue:02x}"))
}

/// How the next characters look.
#[derive(Clone, Default)]
struct Look {
    colour: Option<String>,
    behind: Option<String>,
    bold: bool,
    reversed: bool,
}

impl Look {
    /// The colours of the text and of what is behind it; `None` for those of the ground.
    fn colours(&self, ground: Ground) -> (Option<&str>, Option<&str>) {
        let (colour, behind) = (self.colour.as_deref(), self.behind.as_deref());
        match self.reversed {
            true => (behind.or(Some(ground.paper())), colour.or(Some(ground.ink()))),
            false => (colour, behind),
        }
    }
}

/// A command and what it printed.
pub fn draw(command: &str, text: &str, ground: Ground) -> String {
    let prompt = format!("\u{1b}[38;5;243m$\u{1b}[0m \u{1b}[1m{command}\u{1b}[0m");
    let lines: Vec<Vec<(Look, String)>> = [prompt.as_str(), ""].into_iter().chain(text.trim_end().lines()).map(runs).collect();
    let columns = lines.iter().map(|runs| runs.iter().map(|(_, text)| text.chars().count()).sum::<usize>()).max().unwrap_or(0);
    let (width, height) = (size(columns, CHARACTER), size(lines.len(), LINE));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{}\"/>\n\
         <g font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"13\" fill=\"{}\" xml:space=\"preserve\">\n",
        ground.paper(),
        ground.ink()
    );
    let mut y = MARGIN + LINE * 0.75;
    for runs in lines {
        // Writing to a String does not fail.
        let _ = line(&runs, y, ground, &mut svg);
        y += LINE;
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

#[allow(clippy::cast_precision_loss, reason = "a picture has few columns and lines")]
fn size(count: usize, each: f32) -> f32 {
    2.0 * MARGIN + count as f32 * each
}

/// A line of text, each run at its own column so that no font can shift it.
fn line(runs: &[(Look, String)], y: f32, ground: Ground, svg: &mut String) -> std::fmt::Result {
    let mut column = 0;
    for (look, text) in runs {
        let count = text.chars().count();
        let x = size(column, CHARACTER) - MARGIN;
        let length = size(count, CHARACTER) - 2.0 * MARGIN;
        let (colour, behind) = look.colours(ground);
        if let Some(behind) = behind {
            let top = y - LINE * 0.75;
            writeln!(svg, "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{length:.1}\" height=\"{LINE:.1}\" fill=\"{behind}\"/>")?;
        }
        if !text.trim().is_empty() {
            write!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{length:.1}\"")?;
            if let Some(colour) = colour {
                write!(svg, " fill=\"{colour}\"")?;
            }
            if look.bold {
                svg.push_str(" font-weight=\"bold\"");
            }
            writeln!(svg, ">{}</text>", text.replace('&', "&amp;").replace('<', "&lt;").replace(' ', "\u{a0}"))?;
        }
        column += count;
    }
    Ok(())
}

/// A line cut where its look changes.
fn runs(line: &str) -> Vec<(Look, String)> {
    let mut look = Look::default();
    let mut runs = Vec::new();
    for (number, part) in line.split("\u{1b}[").enumerate() {
        let text = match part.split_once('m') {
            Some((codes, text)) if number > 0 => {
                look = changed(look, &codes.split(';').collect::<Vec<_>>());
                text
            }
            _ => part,
        };
        if !text.is_empty() {
            runs.push((look.clone(), text.to_owned()));
        }
    }
    runs
}

fn changed(look: Look, codes: &[&str]) -> Look {
    match codes {
        [] => look,
        ["38", "5", number, rest @ ..] => changed(Look { colour: number.parse().ok().and_then(fixed), ..look }, rest),
        ["48", "5", number, rest @ ..] => changed(Look { behind: number.parse().ok().and_then(fixed), ..look }, rest),
        ["7", rest @ ..] => changed(Look { reversed: true, ..look }, rest),
        ["" | "0", rest @ ..] => changed(Look::default(), rest),
        ["1", rest @ ..] => changed(Look { bold: true, ..look }, rest),
        [_, rest @ ..] => changed(look, rest),
    }
}
