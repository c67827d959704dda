//! Heuristics: recognized and rejected streams.

use super::*;

pub(super) fn evaluate(
    look: fn(&Opening<'_>) -> Verdict,
    client: &[u8],
    server: &[u8],
    from_start: bool,
    complete: bool,
) -> Verdict {
    look(&Opening { sent: [client, server], from_start: [from_start; 2], complete })
}

pub(super) const LOOKS: [fn(&Opening<'_>) -> Verdict; 2] = [heuristics::on_port, heuristics::anywhere];

fn bytes_of(hex: &[&str]) -> Vec<u8> {
    hex.iter().flat_map(|hex| trial::bytes(hex)).collect()
}

#[test]
fn both_hellos_are_recognised_anywhere_and_from_either_side() {
    let hello = trial::bytes(HELLO);
    for reply in [REPLY, PLAZA_REPLY, REFUSAL].map(trial::bytes) {
        for look in LOOKS {
            assert_eq!(evaluate(look, &hello, &reply, true, false), Verdict::Yes(S));
            assert_eq!(evaluate(look, &hello, &[&reply[..], &trial::bytes(LOGIN)].concat(), true, true), Verdict::Yes(S));
            let more = bytes_of(&[HELLO, NEW, CHAT]);
            assert_eq!(evaluate(look, &more, &reply, false, true), Verdict::Yes(S));
        }
        assert_eq!(evaluate(heuristics::anywhere, &reply, &hello, true, true), Verdict::Yes(C));
        assert_eq!(evaluate(heuristics::anywhere, &reply, &bytes_of(&[HELLO, NEW]), true, true), Verdict::Yes(C));
    }
}

#[test]
fn a_hello_alone_is_recognised_on_the_ports_only() {
    let hello = trial::bytes(HELLO);
    assert_eq!(evaluate(heuristics::on_port, &hello, &[], true, false), Verdict::Yes(S));
    assert_eq!(evaluate(heuristics::anywhere, &hello, &[], true, false), Verdict::Unsure);
    assert_eq!(evaluate(heuristics::anywhere, &hello, &[], true, true), Verdict::No);
    assert_eq!(evaluate(heuristics::anywhere, &hello, b"hello\0", true, false), Verdict::Unsure);
    assert_eq!(evaluate(heuristics::anywhere, &hello, b"hello\0", true, true), Verdict::No);
    assert_eq!(evaluate(heuristics::on_port, &[], &trial::bytes(REPLY), true, true), Verdict::Yes(S));
    assert_eq!(evaluate(heuristics::anywhere, &[], &trial::bytes(REPLY), true, true), Verdict::No);
    for end in 1..7 {
        for look in LOOKS {
            assert_eq!(evaluate(look, &hello[..end], &[], true, false), Verdict::Unsure, "{end}");
            assert_eq!(evaluate(look, &hello[..end], &[], true, true), Verdict::No, "{end}");
        }
    }
}

#[test]
fn client_that_does_not_wait_is_rejected_on_other_ports() {
    assert_eq!(evaluate(heuristics::anywhere, &bytes_of(&[HELLO, NEW]), &[], true, false), Verdict::No);
    assert_eq!(evaluate(heuristics::on_port, &bytes_of(&[HELLO, NEW]), &[], true, false), Verdict::Yes(S));
}

#[test]
fn other_words_are_recognised_on_the_ports_only() {
    for word in [&b"hella\x01\x01"[..], b"admin\x01\x01", b"vchat\x01\x01"] {
        assert_eq!(evaluate(heuristics::on_port, word, &[], true, false), Verdict::Yes(S));
        assert_eq!(evaluate(heuristics::anywhere, word, &trial::bytes(REPLY), true, false), Verdict::No);
    }
}

#[test]
fn two_sections_in_a_row_are_recognised_on_the_ports_midway() {
    let updates = bytes_of(&[POSITION, TRANSFORM]);
    assert_eq!(evaluate(heuristics::on_port, &updates, &[], false, false), Verdict::Yes(S));
    assert_eq!(evaluate(heuristics::on_port, &[], &trial::bytes(LOGIN), false, false), Verdict::Yes(S));
    assert_eq!(evaluate(heuristics::on_port, &updates[9..], &trial::bytes(LOGIN)[5..], false, false), Verdict::Yes(S));
    assert_eq!(evaluate(heuristics::anywhere, &updates, &trial::bytes(LOGIN), false, true), Verdict::No);
    assert_eq!(evaluate(heuristics::on_port, &updates, &[], true, false), Verdict::No);
    assert_eq!(evaluate(heuristics::on_port, &trial::bytes(POSITION), &[], false, false), Verdict::Unsure);
    assert_eq!(evaluate(heuristics::on_port, &trial::bytes(POSITION), &[], false, true), Verdict::No);
    // A server does not send `new_user`.
    assert_eq!(evaluate(heuristics::on_port, &[], &bytes_of(&[NEW, NEW]), false, true), Verdict::No);
    assert_eq!(evaluate(heuristics::on_port, &[0x41; 10_000], &[0x41; 10_000], false, false), Verdict::No);
}

#[test]
fn other_protocols_are_not_claimed() {
    let others: [&[u8]; 10] = [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\x00\x00\x00",
        b"GET / HTTP/1.1\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HELO mail.example.com\r\n",
        b"HELLO 1 2 3 4 5\r\n",
        b"hello world, who is it\r\n",
        b"hello, who is it\r\n",
        b"hello\r\nwho is it\r\n",
        b"hello\x0a\x01 who is it",
        b"administrator\x01\x01",
    ];
    for look in LOOKS {
        for other in others {
            for answer in [&b""[..], other, &trial::bytes(REPLY)] {
                assert_eq!(evaluate(look, other, answer, true, true), Verdict::No, "{other:02x?}");
            }
            assert_eq!(evaluate(heuristics::anywhere, &trial::bytes(HELLO), other, true, true), Verdict::No, "{other:02x?}");
        }
    }
}
