//! Heuristics: recognized and rejected streams and datagrams.

use super::*;

pub(super) fn evaluate(look: fn(&Opening<'_>) -> Verdict, app: &[u8], game: &[u8], from_start: bool, complete: bool) -> Verdict {
    look(&Opening { sent: [app, game], from_start: [from_start; 2], complete })
}

pub(super) const LOOKS: [fn(&Opening<'_>) -> Verdict; 2] = [heuristics::on_port, heuristics::anywhere];

#[test]
fn greeting_is_recognised_anywhere_and_from_either_side() {
    let greeting = trial::bytes(GREETING);
    for look in LOOKS {
        assert_eq!(evaluate(look, &[], &greeting, true, false), Verdict::Yes(Side::Server));
        assert_eq!(evaluate(look, &greeting, &[], true, true), Verdict::Yes(Side::Client));
        assert_eq!(evaluate(look, &[0; 10], &greeting, false, false), Verdict::Yes(Side::Server));
        let spaced = json_message(1, br#"  { "lang": "de", "version": "1.2" }"#);
        assert_eq!(evaluate(look, &[], &spaced, true, true), Verdict::Yes(Side::Server));
        for end in 0..27 {
            assert_eq!(evaluate(look, &[], &greeting[..end], true, false), Verdict::Unsure, "{end} bytes");
            assert_eq!(evaluate(look, &[], &greeting[..end], true, true), Verdict::No, "{end} bytes");
        }
    }
}

#[test]
fn greeting_without_language_or_version_is_rejected() {
    for text in [&br#"{"lang":"en"}"#[..], br#"{"version":"1"}"#, br#"["lang","version"]"#, b"{}"] {
        for look in LOOKS {
            assert_eq!(evaluate(look, &[], &json_message(1, text), true, false), Verdict::No);
        }
    }
}

#[test]
fn refusal_is_recognised_on_the_port_only() {
    let refusal = trial::bytes(REFUSAL);
    assert_eq!(evaluate(heuristics::on_port, &[], &refusal, true, true), Verdict::Yes(Side::Server));
    assert_eq!(evaluate(heuristics::on_port, &refusal, &[], true, true), Verdict::Yes(Side::Client));
    assert_eq!(evaluate(heuristics::anywhere, &[], &refusal, true, true), Verdict::No);
}

#[test]
fn zeros_alone_are_waited_for_on_the_port_and_never_claimed() {
    for (app, game) in [(&[0_u8; 25][..], &[][..]), (&[], &[0; 25]), (&[0; 5], &[0; 50]), (&[0; 3], &[])] {
        assert_eq!(evaluate(heuristics::on_port, app, game, true, false), Verdict::Unsure);
        for look in LOOKS {
            for from_start in [true, false] {
                assert_eq!(evaluate(look, app, game, from_start, true), Verdict::No);
            }
        }
    }
    let commands = joined(&[HEARTBEATING, CLEAR_IDLE]);
    assert_eq!(evaluate(heuristics::on_port, &commands, &[], true, false), Verdict::Unsure);
}

#[test]
fn two_messages_in_a_row_are_recognised_on_the_port_midway() {
    let updates = joined(&[ONE_BOOL, TWO_FLOATS]);
    assert_eq!(evaluate(heuristics::on_port, &[], &updates, false, false), Verdict::Yes(Side::Server));
    assert_eq!(evaluate(heuristics::on_port, &updates, &[], false, false), Verdict::Yes(Side::Client));
    assert_eq!(evaluate(heuristics::anywhere, &[], &updates, false, false), Verdict::No);
    let commands = joined(&[HEARTBEATING, CLEAR_IDLE]);
    assert_eq!(evaluate(heuristics::on_port, &commands, &[], false, false), Verdict::Yes(Side::Server));
    assert_eq!(evaluate(heuristics::on_port, &[0; 5], &commands, false, false), Verdict::Yes(Side::Client));
    let midway = &joined(&[RADIO, TWO_FLOATS, HEARTBEATING])[40..];
    assert_eq!(evaluate(heuristics::on_port, &[], midway, false, false), Verdict::Yes(Side::Server));
    let mixed = joined(&[ONE_BOOL, CLEAR_IDLE]);
    assert_eq!(evaluate(heuristics::on_port, &[], &mixed, false, true), Verdict::No);
    assert_eq!(evaluate(heuristics::on_port, &[], &trial::bytes(ONE_BOOL), false, true), Verdict::No);
    assert_eq!(evaluate(heuristics::on_port, &[], &trial::bytes(ONE_BOOL), false, false), Verdict::Unsure);
}

#[test]
fn one_side_alone_of_a_session_is_recognised_on_the_port() {
    let commands = joined(&[HEARTBEATING, HEARTBEATING, CLEAR_IDLE, HEARTBEATING]);
    assert_eq!(evaluate(heuristics::on_port, &commands, &[], true, true), Verdict::Yes(Side::Server));
}

#[test]
fn other_protocols_are_not_claimed() {
    let others: [&[u8]; 10] = [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\x16\x03\x01\x00\x03",
        b"GET / HTTP/1.1\r\n\r\n",
        b"POST /lang HTTP/1.1\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        // A FlexNet licence client's greeting.
        b"\x68\x3e\x31\x31\x34\x31\x36\x00\x75\x73\x65\x72\x00\x00\x00\x00\x00\x00\x00\x00",
        b"\x2f\x24\x01\x0b\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
        b"\x02\x00\x00\x00\x00\x01\x02",
        b"\x03\x00\x00\x00\x02abc",
        b"\x05\x00\x00\x00\x07hello",
    ];
    for look in LOOKS {
        for other in others {
            for (app, game) in [(other, &[][..]), (&[], other), (other, b"\x00\x00\x00\x00\x00")] {
                assert_eq!(evaluate(look, app, game, true, false), Verdict::No, "{other:02x?}");
                assert_eq!(evaluate(look, app, game, false, true), Verdict::No, "{other:02x?}");
            }
        }
    }
}

#[test]
fn discovery_is_one_object_with_the_right_members() {
    let long = format!(r#"{{"cmd":"autodiscover","x":"{}"}}"#, "x".repeat(2048));
    for other in [
        "",
        "{}",
        "autodiscover",
        r#"["cmd","autodiscover"]"#,
        r#"{"cmd":"reboot"}"#,
        r#"{"IsBusy":false}"#,
        r#"{"IsBusy":"false","MachineType":"PC"}"#,
        r#"{"IsBusy":true,"MachineType":1}"#,
        r#"{"cmd":"autodiscover"} x"#,
        r#"{"cmd":"autodiscover""#,
        &long,
    ] {
        assert!(!heuristics::is_discovery(other.as_bytes()), "{other}");
    }
    for ours in [" {\"cmd\": \"autodiscover\"}\r\n", r#"{"MachineType":"PC","IsBusy":true}"#] {
        assert!(heuristics::is_discovery(ours.as_bytes()), "{ours}");
    }
}

#[test]
fn a_single_message_is_recognised_on_the_port_at_the_end() {
    for (hex, sender) in [(ONE_BOOL, Side::Server), (NINE_TYPES, Side::Server), (CLEAR_IDLE, Side::Client)] {
        let bytes = trial::bytes(hex);
        let game = if sender == Side::Server { Side::Client } else { Side::Server };
        assert_eq!(evaluate(heuristics::on_port, &bytes, &[], true, true), Verdict::Yes(game));
        assert_eq!(evaluate(heuristics::on_port, &bytes[..bytes.len() - 1], &[], true, true), Verdict::No);
        assert_eq!(evaluate(heuristics::anywhere, &bytes, &[], true, true), Verdict::No);
    }
    assert_eq!(evaluate(heuristics::on_port, &trial::bytes(HEARTBEATING), &[], true, true), Verdict::No);
}
