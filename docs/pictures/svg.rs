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

    fn paper(self) -> &'static str {
        match self {
            Ground::Dark => "#1b1e24",
            Ground::Light => "#fbfbf8",
        }
    }

    fn ink(self) -> &'static str {
        match self {
            Ground::Dark => "#d6d9de",
            Ground::Light => "#24292f",
        }
    }

    /// The value of one of a terminal's colours, by the number that selects it.
    fn colour(self, code: &str) -> Option<&'static str> {
        let (dark, light) = match code {
            "31" => ("#f2777a", "#c4232f"),
            "32" => ("#8fce7e", "#1a7f37"),
            "33" => ("#e5c07b", "#8a6100"),
            "34" => ("#76aef5", "#0b5cc4"),
            "35" => ("#d096e8", "#8a2fb0"),
            "36" => ("#5fc9d4", "#0b7285"),
            _ => return None,
        };
        Some(match self {
            Ground::Dark => dark,
            Ground::Light => light,
        })
    }
}

/// How the next characters look.
#[derive(Clone, Copy, Default)]
struct Look {
    colour: Option<&'static str>,
    bold: bool,
    dim: bool,
}

/// A command and what it printed.
pub fn draw(command: &str, text: &str, ground: Ground) -> String {
    let prompt = format!("\u{1b}[2m$\u{1b}[0m \u{1b}[1m{command}\u{1b}[0m");
    let lines: Vec<Vec<(Look, String)>> =
        [prompt.as_str(), ""].into_iter().chain(text.trim_end().lines()).map(|line| runs(line, ground)).collect();
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
        let _ = line(&runs, y, &mut svg);
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
fn line(runs: &[(Look, String)], y: f32, svg: &mut String) -> std::fmt::Result {
    let mut column = 0;
    for (look, text) in runs {
        let count = text.chars().count();
        if !text.trim().is_empty() {
            let x = size(column, CHARACTER) - MARGIN;
            let length = size(count, CHARACTER) - 2.0 * MARGIN;
            write!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{length:.1}\"")?;
            if let Some(colour) = look.colour {
                write!(svg, " fill=\"{colour}\"")?;
            }
            if look.bold {
                svg.push_str(" font-weight=\"bold\"");
            }
            if look.dim {
                svg.push_str(" opacity=\"0.62\"");
            }
            writeln!(svg, ">{}</text>", text.replace('&', "&amp;").replace('<', "&lt;").replace(' ', "\u{a0}"))?;
        }
        column += count;
    }
    Ok(())
}

/// A line cut where its look changes.
fn runs(line: &str, ground: Ground) -> Vec<(Look, String)> {
    let mut look = Look::default();
    let mut runs = Vec::new();
    for (number, part) in line.split("\u{1b}[").enumerate() {
        let text = match part.split_once('m') {
            Some((codes, text)) if number > 0 => {
                look = codes.split(';').fold(look, |look, code| changed(look, code, ground));
                text
            }
            _ => part,
        };
        if !text.is_empty() {
            runs.push((look, text.to_owned()));
        }
    }
    runs
}

fn changed(look: Look, code: &str, ground: Ground) -> Look {
    match code {
        "" | "0" => Look::default(),
        "1" => Look { bold: true, ..look },
        "2" => Look { dim: true, ..look },
        _ => Look { colour: ground.colour(code).or(look.colour), ..look },
    }
}
