//! Layout of text output.

use super::{answer, typed_with};
use crate::common::{apart, binary};

/// The words of a field's line in a table, without its offset and bytes.
fn row<'t>(table: &'t str, name: &str) -> Vec<&'t str> {
    let line = table.lines().find_map(|line| line.split_once(&format!("  {name}  ")).map(|(_, behind)| behind));
    let line = line.unwrap_or_else(|| panic!("{name} is missing in\n{table}"));
    line.split("  ").map(str::trim).filter(|words| !words.is_empty()).collect()
}

#[test]
fn value_names_are_in_the_left_column() {
    let update = answer("samples/pipboy.pcap --number 23");
    assert_eq!(row(&update, "Map.World.Player.X"), ["-4298", "was -4310.5, float, id 428"]);
    assert!(!update.contains("entry ["), "{update}");
    let login = answer("samples/xfire.pcap --number 5");
    assert_eq!(row(&login, "userid"), ["4711"]);
    assert!(!login.contains("attr ["), "{login}");
    let options = answer("--packets samples/pipboy.pcap --number 4");
    assert!(options.contains("maximum segment size") && !options.contains("Option ["), "{options}");
}

#[test]
fn header_names_are_in_the_left_column() {
    let response = b"HTTP/1.1 200 OK\r\nExpires: Sat, 01 Jan 2000 00:00:00 GMT\r\nX-One: 1\r\nContent-Length: 0\r\n\r\n";
    let run = typed_with("--input-format raw --as http:s2c", response);
    assert_eq!(row(&run.out, "Expires"), ["\"Sat, 01 Jan 2000 00:00:00 GMT\""]);
    assert_eq!(row(&run.out, "X-One"), ["\"1\""]);
    assert!(!run.out.contains("header ["), "{}", run.out);
}

#[test]
fn secrets_in_headers_stay_hidden_under_their_own_name() {
    let response = b"GET / HTTP/1.1\r\nHost: a\r\nX-Api-Key: password=hunter2secret\r\n\r\n";
    for form in ["", "-V ", "-x ", "-l "] {
        let run = typed_with(&format!("{form}--input-format raw --as http:c2s"), response);
        assert!(run.code == 0 && !run.out.contains("hunter2secret"), "{}", run.out);
    }
}

#[test]
fn a_group_under_its_own_name_opens_with_all_its_fields() {
    let update = answer("-V samples/pipboy.pcap --number 26");
    let lines: Vec<&str> = update.lines().filter_map(|line| line.get(22..)).map(str::trim_end).collect();
    let at = lines.iter().position(|line| line.starts_with("PlayerInfo.CurrHP")).unwrap_or_else(|| panic!("{update}"));
    let labels: Vec<&str> = lines[at + 1..].iter().filter_map(|line| line.strip_prefix("  ")?.split("  ").next()).collect();
    assert_eq!(labels, ["type", "id", "path", "float", "before"], "{update}");
}

#[test]
fn flags_show_their_bits_in_their_places() {
    let syn = answer("--packets samples/pipboy.pcap --number 4");
    let bits = |name: &str| {
        let line = syn.lines().find(|line| line.contains(&format!("  {name}  "))).unwrap_or_else(|| panic!("{name}\n{syn}"));
        line[9..].split("  ").next().unwrap_or_default().to_owned()
    };
    assert_eq!(bits("SYN"), ".... .... .... ..1.");
    assert_eq!(bits("FIN"), ".... .... .... ...0");
    assert_eq!(bits("Reserved"), "0... .... .... ....");
    assert_eq!(bits("Don't fragment"), ".1.. .... .... ....");
    assert_eq!(bits("Version"), "0100 ....");
}

#[test]
fn bits_of_little_endian_numbers_are_in_number_order() {
    // Retain is the lowest bit of the first byte of an MQTT PUBLISH.
    let publish = answer("samples/neighbours.pcap -Y mqtt.retain==1 -c 1");
    assert!(publish.contains("  .... ...1  "), "{publish}");
}

#[test]
fn unknown_bytes_are_previewed_in_a_list() {
    let listed = answer("-l --packets samples/layers.pcap --number 5");
    assert!(listed.trim_end().ends_with("13 bytes  61 6e 79 62 6f 64 79 20 68 6f 6d 65 3f"), "{listed}");
    let cut = answer("-l --packets samples/layers.pcap --number 13");
    assert!(cut.trim_end().ends_with("  30 31 32 33 34 35 36 37 38 39 30 31 32 33 34 35 …"), "{cut}");
}

#[test]
fn secrets_in_unknown_bytes_are_not_previewed() {
    let hidden = typed_with("-l --input-format raw --as data", b"password=hunter2 x\n");
    assert!(hidden.out.contains("70 61 73 73 77 6f 72 64 3d ** ** ** ** ** ** **"), "{}", hidden.out);
    let shown = typed_with("-l --show-secrets --input-format raw --as data", b"password=hunter2 x\n");
    assert!(shown.out.contains("3d 68 75 6e 74 65 72 32"), "{}", shown.out);
}

#[test]
fn a_list_shows_which_values_changed() {
    let listed = answer("-l samples/pipboy.pcap --number 23,26");
    let lines: Vec<&str> = listed.lines().collect();
    assert!(lines[0].contains(" data_update, Map.World.Player.X -4298 (was -4310.5), Map.World.Player.Y 12214.5"), "{listed}");
    assert!(lines[0].ends_with(", +3 entries"), "{listed}");
    assert!(lines[1].ends_with(" data_update, PlayerInfo.CurrHP 98.25 (was 104.5)"), "{listed}");
    // A filter that needs the entries shows the same line.
    assert_eq!(answer("-l samples/pipboy.pcap -Y 'message.number == 26 and pipboy.entry.id == 501'"), format!("{}\n", lines[1]));
}

#[test]
fn records_for_programs_keep_their_summary() {
    assert!(answer("--json samples/pipboy.pcap --number 23").contains(r#""info":"6 entries""#));
}

#[test]
fn the_direction_is_visible_without_addresses() {
    let listed = answer("-l samples/pipboy-follow.txt -c 2");
    let ways: Vec<String> = listed.lines().map(|line| line.split_whitespace().take(3).collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(ways, ["1 tcp/0 ←", "2 tcp/0 →"], "{listed}");
}

#[test]
fn each_layer_has_its_bytes_below_its_fields() {
    let shown = answer("--packets -x samples/pipboy.pcap --number 1");
    let dumps: Vec<&str> = shown.lines().filter(|line| line.contains("|")).collect();
    let starts: Vec<&str> = dumps.iter().map(|line| &line[..8]).collect();
    assert_eq!(starts, ["00000000", "0000000e", "0000001e", "00000022", "0000002a", "0000003a"], "{shown}");
    for (layer, first) in
        [("Ethernet ", "00000000  ff"), ("IPv4 ", "0000000e  45"), ("UDP ", "00000022  ca"), ("Pip-Boy ", "0000002a  7b")]
    {
        let section: Vec<&str> = shown.lines().skip_while(|line| !line.starts_with(&format!("── {layer}"))).skip(1).collect();
        let dump = section.iter().find(|line| line.starts_with("0000")).copied().unwrap_or_default();
        assert!(dump.starts_with(first), "{layer}: {dump}\n{shown}");
    }
    // Each byte once.
    let bytes: usize = dumps.iter().map(|line| line.split_once('|').map_or(0, |(_, text)| text.len() - 1)).sum();
    assert_eq!(bytes, 64, "{shown}");
}

#[test]
fn every_byte_of_a_frame_is_dumped() {
    // Frame 36 ends a message of nine frames.
    for number in ["22", "23", "36", "37"] {
        let shown = answer(&format!("--packets -x samples/pipboy.pcap --number {number}"));
        let raw = answer(&format!("--packets --json samples/pipboy.pcap --number {number}"));
        let length: usize = raw.split_once(r#""captured":"#).and_then(|(_, rest)| rest.split_once(',')?.0.parse().ok()).unwrap();
        let bytes: usize =
            shown.lines().filter_map(|line| line.split_once("  |")).map(|(_, text)| text.chars().count() - 1).sum();
        assert!(bytes >= length, "frame {number}: {bytes} of {length}\n{shown}");
    }
}

#[test]
fn large_numbers_have_separators_and_sizes_a_unit() {
    let overview = answer("stats -z overview samples/pipboy.pcap");
    assert!(overview.contains("  31,051 (30.3 KiB), all captured\n"), "{overview}");
    assert!(overview.contains("  8.0 frames/s, 1.2 KiB/s, 9.5 kbit/s\n"), "{overview}");
    assert!(answer("stats -z hierarchy samples/pipboy.pcap").contains("  18,024\n"));
    assert!(answer("stats --json -z io,phs samples/pipboy.pcap").contains("18024"));
}

#[test]
fn output_to_a_pipe_does_not_depend_on_the_terminal() {
    for arguments in [&["-l", "samples/http.pcap"][..], &["samples/http.pcap"], &["stats", "samples/http.pcap"], &["protocols"]] {
        let out = |columns: &str| {
            let mut command = apart(std::process::Command::new(binary()));
            command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).env("COLUMNS", columns).env("TERM", "linux");
            command.output().unwrap().stdout
        };
        assert!(out("40") == out("200"), "{arguments:?}");
    }
}
