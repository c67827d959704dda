//! Secrets in texts, by their names and places.

use super::*;
use proptest::prelude::*;

#[test]
fn a_secret_that_reaches_beyond_another_one_is_masked_whole() {
    for (text, shown) in [
        ("name=\"password\"\r\nCookie: ab\r\n\r\nabc\r\n--x", "name=\"password\"\r\nCookie: **\r\n\r\n***\r\n--x"),
        ("Cookie: name=\"pwd\"\r\n\r\nabc\r\n--x", "Cookie: **********\r\n\r\n***\r\n--x"),
        ("pass=http://u:a&b@h/", "pass=************@h/"),
    ] {
        assert_eq!(masked(text), shown);
    }
}

#[test]
fn a_text_is_unfinished_where_its_next_byte_belongs_to_a_secret() {
    for text in
        ["PASS ", "USER a\r\nPASS hun", "Authorization: Bearer h", "GET /?a=b&password=", r#"{"pass":"h"#, "Cookie: a=b; c"]
    {
        assert!(is_unfinished(text.as_bytes()), "{text:?}");
    }
    for text in ["", "PASS", "PASS hun\r\n", "GET /?password=a&b=c", r#"{"pass":"h","n":"#, "USER a"] {
        assert!(!is_unfinished(text.as_bytes()), "{text:?}");
    }
}

#[test]
fn secrets_are_found_by_their_names() {
    for (text, shown) in [
        ("PASS hunter2", "PASS *******"),
        ("USER a\r\npass hunter2\r\nLIST", "USER a\r\npass *******\r\nLIST"),
        ("AUTH PLAIN AGEAYg==", "AUTH PLAIN ********"),
        ("AUTH TLS\r\nAUTHENTICATE abc", "AUTH TLS\r\nAUTHENTICATE ***"),
        ("GET http://u:pw@h/a?x=1&password=abc&y=2 HTTP/1.1", "GET http://u:**@h/a?x=1&password=***&y=2 HTTP/1.1"),
        ("Authorization: Bearer abc\r\nX-Api-Key:k\r\nHost: h", "Authorization: **********\r\nX-Api-Key:*\r\nHost: h"),
        ("Set-Cookie: a=b; Path=/\n", "Set-Cookie: ***********\n"),
        (r#"{"user": "a", "Password" : "b\"c", "pwd":12,"n":1}"#, r#"{"user": "a", "Password" : "****", "pwd":**,"n":1}"#),
        ("name=\"password\"\r\n\r\nabc\r\n--x", "name=\"password\"\r\n\r\n***\r\n--x"),
        ("name=\"file\"\r\n\r\nabc\r\n--x", "name=\"file\"\r\n\r\nabc\r\n--x"),
        ("user[password]=ab&z=1", "user[password]=**&z=1"),
        ("client_secret=a;access_token=b", "client_secret=*;access_token=*"),
        ("12:30:45 it passed: yes", "12:30:45 it passed: yes"),
        ("Access-Control-Allow-Credentials: true\r\n", "Access-Control-Allow-Credentials: true\r\n"),
        ("compass=1&x=2", "compass=*&x=2"),
        ("http://host:8080/a@b", "http://host:8080/a@b"),
        ("http://host:8080", "http://host:8080"),
        ("GET http://u:pw", "GET http://u:**"),
        ("rcon abc status", "rcon *** status"),
        ("rcon \"a b\" status", "rcon ***** status"),
        ("rcon 123 \"a b\" status", "rcon 123 ***** status"),
        (r#"connect "\name\x\password\abc\rate\1""#, r#"connect "\name\x\password\***\rate\1""#),
        ("\\login\\\\passenc\\ab\\password\\abc", "\\login\\\\passenc\\ab\\password\\***"),
        (r"C:\name\x", r"C:\name\x"),
        ("s=-\r\nk=clear:abc\r\nk=prompt", "s=-\r\nk=clear:***\r\nk=prompt"),
        ("a=crypto:1 AES_CM_128 inline:abc|2^20 X=1", "a=crypto:1 AES_CM_128 inline:******** X=1"),
        ("s=-\r\na=ice-pwd:abc\r\na=ice-ufrag:d", "s=-\r\na=ice-pwd:***\r\na=ice-ufrag:d"),
        ("INVITE sip:a:pw@h SIP/2.0", "INVITE sip:a:**@h SIP/2.0"),
        (r#"{"jwt":"ab","sig":"c","nkey":"d","pwds":["e","f"]}"#, r#"{"jwt":"**","sig":"*","nkey":"d","pwds":[*******]}"#),
        ("<w:Password w:t=\"a\">bc</w:Password><n>d</n>", "<w:Password w:t=\"a\">**</w:Password><n>d</n>"),
        ("<password>\n<![CDATA[a]]></password>", "<password>**************</password>"),
        ("<password/><user>ab</user>", "<password/><user>ab</user>"),
        ("<e name=\"password\">ab</e><e name='n'>c</e>", "<e name=\"password\">**</e><e name='n'>c</e>"),
        ("<add key='Pwd' value='ab'/><n>c</n>", "<add key='Pwd' value='**'/><n>c</n>"),
        ("<input type='password' value='ab'>c</p>", "<input type='password' value='**'>c</p>"),
        ("<name>password</name> <value><s>ab</s></value>", "<name>password</name> <value>*****</s></value>"),
        ("<key>Token</key><string>ab</string><key>n</key>", "<key>Token</key><string>**</string><key>n</key>"),
        (
            r#"[{"name": "password", "value": "ab"},{"name":"n","value":"c"}]"#,
            r#"[{"name": "password", "value": "**"},{"name":"n","value":"c"}]"#,
        ),
    ] {
        assert_eq!(masked(text), shown);
    }
    let mut found = Vec::new();
    find(b"\x30\x26\x02\x01\x01\x04\x06public\xa0\x19", |range| found.push(range));
    assert_eq!(found.iter().map(|range| (range.start, range.end)).collect::<Vec<_>>(), [(7, 13)]);
}

#[test]
fn each_byte_of_secrets_inside_secrets_is_reported_once() {
    for piece in [
        "<pw>",
        "<name>pw</name><a>",
        "<e key='pw'>",
        "\"pw\":a",
        "Cookie: pass=",
        "http://a:b",
        "\"pw\":[",
        "pass=",
        "token=\"",
        "\\\"pwd\":\\\"",
        "name=\"password\"\r\n\r\n",
        "inline:",
        "\\pass\\",
        "\"pwd\": \"a\\\"",
    ] {
        let text = piece.repeat(2_000);
        let mut reported = 0;
        find(text.as_bytes(), |range| reported += range.len());
        assert!(reported <= 2 * text.len(), "{piece:?}: {reported} of {}", text.len());
    }
}

#[test]
fn no_word_is_ruled_out_by_one_of_its_letters() {
    assert!(WHOLE.iter().chain(ENDS).all(|word| may_end(*word.last().unwrap()) && is_secret_name(word)));
    assert!(PARTS.iter().all(|word| may_begin_part(word[0]) && is_secret_name(&[b"x", *word, b"x"].concat())));
    assert!(COMMANDS.iter().chain([&&b"auth "[..]]).all(|word| may_begin_command(word[0])));
}

proptest! {
    #[test]
    fn ranges_of_secrets_are_within_the_text(
        text in proptest::collection::vec(prop_oneof![
            Just(b"password".to_vec()), Just(b"=".to_vec()), Just(b"\": \"".to_vec()), Just(b"://a:".to_vec()), Just(b"\r\n\r\n".to_vec()),
            Just(b"\nPASS ".to_vec()), Just(b"name=\"".to_vec()), Just(b"\x30\x84\x02\x01\0\x04\x7f".to_vec()), proptest::collection::vec(any::<u8>(), 0..4),
        ], 0..24)
    ) {
        let text = text.concat();
        find(&text, |range| assert!(range.start < range.end && range.end <= text.len()));
    }

    #[test]
    fn a_shorter_search_finds_each_secret_byte_before_its_end(
        text in proptest::collection::vec(prop_oneof![
            Just(b"password=".to_vec()), Just(b"pwd\": \"".to_vec()), Just(b"http://a:".to_vec()), Just(b"\\x\\pass\\".to_vec()),
            Just(b"\nPASS ".to_vec()), Just(b"@".to_vec()), Just(b"name=\"pwd\"\r\n\r\n".to_vec()), proptest::collection::vec(any::<u8>(), 0..4),
        ], 0..24),
        end in 0_usize..64,
    ) {
        let text = text.concat();
        let (mut whole, mut shorter) = (vec![false; text.len()], vec![false; text.len()]);
        find(&text, |range| whole[range].fill(true));
        find_before(&text, end, |range| shorter[range].fill(true));
        let end = end.min(text.len());
        assert_eq!(whole[..end], shorter[..end]);
    }
}
