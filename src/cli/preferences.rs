//! Preferences of Wireshark that are no settings of protocols: what to use instead.

use super::usage_error::UsageError;

/// Fields for the columns of Wireshark's packet list, by their format.
const COLUMNS: &[(&str, &str)] = &[
    ("%m", "frame.number"),
    ("%t", "frame.time_relative"),
    ("%R", "frame.time_relative"),
    ("%Tt", "frame.time_delta"),
    ("%Gt", "frame.time_delta"),
    ("%At", "frame.time"),
    ("%Yt", "frame.time"),
    ("%s", "_ws.col.Source"),
    ("%us", "_ws.col.Source"),
    ("%rs", "_ws.col.Source"),
    ("%ns", "_ws.col.Source"),
    ("%uns", "_ws.col.Source"),
    ("%d", "_ws.col.Destination"),
    ("%ud", "_ws.col.Destination"),
    ("%rd", "_ws.col.Destination"),
    ("%nd", "_ws.col.Destination"),
    ("%und", "_ws.col.Destination"),
    ("%S", "tcp.srcport"),
    ("%uS", "tcp.srcport"),
    ("%rS", "tcp.srcport"),
    ("%D", "tcp.dstport"),
    ("%uD", "tcp.dstport"),
    ("%rD", "tcp.dstport"),
    ("%p", "_ws.col.Protocol"),
    ("%L", "frame.len"),
    ("%B", "frame.len"),
    ("%i", "_ws.col.Info"),
];

/// What to use instead of a preference of Wireshark; `None` if the name is none that is answered.
pub(super) fn alternative(name: &str, value: &str) -> Option<UsageError> {
    let (group, _) = name.split_once('.')?;
    Some(match (group, name) {
        (_, "gui.column.format" | "column.format") => {
            format!("-o {name}: columns are selected with -e; try -T fields {}", columns(value))
        }
        ("gui", _) => format!("-o {name}: this sets a window of Wireshark; -T, -e, -t and --color select the output"),
        ("nameres", _) => format!("-o {name}: names are never resolved; -z hosts lists the names in a capture"),
        ("capture", _) => format!("-o {name}: this program captures nothing; try tcpdump -U -w - -i lo | proto-dissect -l"),
        ("ssl", _) => {
            let renamed = name.replacen("ssl.", "tls.", 1);
            format!("-o {name}: SSL is called TLS; try -o {renamed}={value}")
        }
        ("uat", _) => format!("-o {name}: tables of Wireshark are not read; -d and -o PROTO.NAME=VALUE set what they do"),
        _ => return None,
    })
}

/// Options for the columns of a list of titles and formats: `"No.","%m","Host","%Cus:http.host"`.
fn columns(value: &str) -> String {
    let parts: Vec<&str> = value.split(',').map(|part| part.trim().trim_matches(['"', '\''])).collect();
    let formats = parts.iter().filter(|part| part.starts_with('%'));
    let fields = formats.filter_map(|format| match format.strip_prefix("%Cus:") {
        Some(custom) => custom.split([':', ' ']).next(),
        None => COLUMNS.iter().find(|(known, _)| known == format).map(|(_, field)| *field),
    });
    let options: Vec<String> = fields.map(|field| format!("-e {field}")).collect();
    if options.is_empty() { "-e frame.number -e _ws.col.Info".to_owned() } else { options.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::super::forms;
    use super::*;

    #[test]
    fn columns_of_wireshark_are_options_that_are_accepted() {
        let format = "\"No.\",\"%m\",\"Time\",\"%t\",\"From\", \"%us\",\"Host\",\"%Cus:http.host:0:R\",\"What\",\"%i\"";
        let wrong = alternative("gui.column.format", format).unwrap();
        let options = "-T fields -e frame.number -e frame.time_relative -e _ws.col.Source -e http.host -e _ws.col.Info";
        assert!(wrong.ends_with(options), "{wrong}");
        assert!(alternative("gui.column.format", "").unwrap().contains("-e frame.number"));
        let fields: Vec<String> = COLUMNS.iter().map(|(_, field)| (*field).to_owned()).collect();
        assert_eq!(forms::columns(&fields).map(|columns| columns.len()), Ok(COLUMNS.len()));
    }

    #[test]
    fn preferences_of_other_groups_name_the_option() {
        for (name, value, words) in [
            ("gui.window_title", "x", "--color"),
            ("nameres.network_name", "TRUE", "-z hosts"),
            ("capture.device", "eth0", "tcpdump"),
            ("ssl.keylog_file", "keys", "-o tls.keylog_file=keys"),
        ] {
            assert!(alternative(name, value).unwrap().contains(words), "{name}");
        }
        assert_eq!(alternative("tcp.check_checksum", "TRUE"), None);
        assert_eq!(alternative("pipboy", ""), None);
    }
}
