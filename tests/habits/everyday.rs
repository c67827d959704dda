//! Everyday questions and their answers.

use super::{answer, assert_lines};

#[test]
fn a_sample_is_listed_a_line_per_message() {
    let listed = answer("-l samples/http.pcap");
    assert_eq!(listed.lines().count(), 22);
    assert!(listed.lines().next().unwrap().ends_with("95 GET, http://game.example/news.txt"), "{listed}");
}

#[test]
fn addresses_of_applications_are_columns_of_messages() {
    assert_lines("-T fields -e http.host -Y http.request.method==POST samples/http.pcap", &["game.example"]);
    assert_lines("-Y http.response.code>=400 -e http.response.code samples/http.pcap", &["401"]);
    assert_lines(
        "-T csv -e message.number -e http.host -c 1 samples/http.pcap",
        &["message.number,http.host", "\"1\",\"game.example\""],
    );
}
