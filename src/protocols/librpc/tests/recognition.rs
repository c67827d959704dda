//! Heuristics: recognized and rejected datagrams.

use super::*;

#[test]
fn every_sound_message_is_recognised() {
    for hex in [L1, L2, L3, L4, L5, L6, L7, L8, L9] {
        assert!(is_exact(&trial::bytes(hex)));
    }
}

#[test]
fn every_byte_in_front_of_the_name_counts() {
    let bytes = trial::bytes(L1);
    for at in 0..9 {
        for other in 0..=u8::MAX {
            let mut changed = bytes.clone();
            changed[at] = other;
            let is_meant = match at {
                0 => other <= 1,
                4 => b"FEGDgh".contains(&other),
                _ => other == bytes[at],
            };
            assert_eq!(is_exact(&changed), is_meant, "{other:#04x} at {at}");
        }
    }
    for end in 0..bytes.len() {
        assert!(!is_exact(&bytes[..end]));
    }
    assert!(!is_exact(&[&bytes[..], &[0]].concat()));
}

#[test]
fn script_data_needs_only_begin_like_a_message() {
    for hex in ALL {
        assert!(begins(&trial::bytes(hex)));
    }
    for other in [&b"\0\0\0\x40x"[..], b"\x02\0\0\x40F", b"\0\0\0\x41F", b"\0\0\0", b""] {
        assert!(!begins(other));
    }
}
