//! Any bytes in every dialect, and damaged texts.

use super::*;

/// Dialects with words, or similar signs, before the bytes.
const LABELLED: [&str; 6] = ["UltraEdit", "010 Editor", "a Buffer of Node.js", "a log line", "a time before it", "bytes.fromhex"];

fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![any::<u8>(), Just(0), prop::sample::select(&b" 09afAF.|><#{}[]()'\"\\x=:,"[..])];
    prop::collection::vec(byte, 2..80)
}

proptest! {
    // Each case is written and read in the manner of every tool. Short texts are ambiguous by chance, so the cases are the same
    // in every run.
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(31), ..ProptestConfig::with_cases(share_of(256)) })]

    #[test]
    fn any_bytes_come_back_from_every_tool(bytes in any_bytes()) {
        for (name, write) in WRITERS.iter().chain(COMMUNITY) {
            // Fewer bytes are ambiguous in these.
            if bytes.len() < 4 {
                continue;
            }
            let text = write(&bytes);
            prop_assert_eq!(whole(&text), Ok(bytes.clone()), "{}\n{}", name, text);
        }
    }

    #[test]
    fn bytes_are_read_completely_or_refused(bytes in any_bytes()) {
        for (name, write) in all_writers() {
            // A few digits in Python quotes may be text, and numbers of two digits alone are hex.
            let small = bytes.iter().filter(|byte| **byte < 10).count();
            let is_hex = matches!(*name, "decimals" | "a Go slice") && (bytes.len() < 4 || small < 2 && bytes.iter().all(|byte| *byte < 100));
            if *name == "binascii.hexlify" && bytes.len() < 8 || is_hex {
                continue;
            }
            let text = write(&bytes);
            if let Ok(read) = whole(&text) {
                prop_assert_eq!(&read, &bytes, "{}\n{}", name, text);
            }
        }
    }

    #[test]
    fn groups_of_any_size_with_any_blanks_are_read_completely(
        bytes in prop::collection::vec(any::<u8>(), 1..60),
        sizes in prop::collection::vec((1_usize..6, 1_usize..4), 20),
        colon in any::<bool>(),
    ) {
        let mut text = String::from(if colon { "00000000: " } else { "" });
        // A first element longer than a byte may be an offset.
        let first = if colon { sizes[0] } else { (1, 1) };
        let (mut rest, mut groups) = (&bytes[..], std::iter::once(&first).chain(sizes.iter().cycle()));
        while !rest.is_empty() {
            let (size, blanks) = groups.next().unwrap();
            let (group, behind) = rest.split_at(rest.len().min(*size));
            group.iter().for_each(|byte| text += &format!("{byte:02x}"));
            text += &" ".repeat(*blanks);
            rest = behind;
        }
        if let Ok(read) = whole(&text) {
            prop_assert_eq!(read, bytes, "{}", text);
        }
    }
}

proptest! {
    // A damaged row can be text of another dialect by chance, so the cases are the same in every run.
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(29), ..ProptestConfig::with_cases(share_of(256)) })]

    #[test]
    fn a_wrong_character_never_loses_a_byte(
        bytes in any_bytes(),
        at in any::<prop::sample::Index>(),
        sign in prop::sample::select(&['g', '?', ' '][..]),
    ) {
        for (name, write) in all_writers() {
            let text = write(&bytes);
            let at = at.index(text.chars().count());
            // Fewer bytes are ambiguous in many dialects.
            if bytes.len() < 4 {
                continue;
            }
            // Base64 without its scheme may be a word, and a list without a number of one digit is another list.
            let is_digit = |at: usize| text.chars().nth(at).is_some_and(|character| character.is_ascii_hexdigit());
            let is_number = !is_digit(at.wrapping_sub(1)) && !is_digit(at + 1) || name.starts_with("percent") || *name == "Erlang";
            if *name == "a data URI" || sign == ' ' && is_number {
                continue;
            }
            if !text.chars().nth(at).is_some_and(|character| character.is_ascii_hexdigit()) {
                continue;
            }
            // A label may include the byte after it.
            if LABELLED.contains(name) && text.chars().nth(at).is_some_and(|character| !character.is_alphanumeric()) {
                continue;
            }
            // A comment extends to the end of its line.
            if *name == "UltraEdit" && text.chars().nth(at) == Some('\n') {
                continue;
            }
            let wrong: String = text.chars().enumerate().map(|(place, character)| if place == at { sign } else { character }).collect();
            if let (Ok(read), Ok(_)) = (whole(&wrong), whole(&text)) {
                prop_assert!(read.len() >= bytes.len(), "{}: {} of {}\n{}", name, read.len(), bytes.len(), wrong);
            }
        }
    }
}

/// For each dialect: damaged texts, those that are read, their bytes, and a hash of all results. A changed line shows that some
/// damaged dump is read differently.
#[test]
fn damaged_dumps_are_read_as_before() {
    let bytes: Vec<u8> = (0..40_u8).map(|at| at.wrapping_mul(37) ^ at << 3).chain(*b"a 1f: |x\"\n").collect();
    let mut table = String::new();
    for (name, write) in all_writers() {
        let text: Vec<char> = write(&bytes).chars().collect();
        let (mut copies, mut fine, mut count, mut hash) = (0, 0, 0, 0xcbf2_9ce4_8422_2325_u64);
        for at in 0..text.len() {
            let changed = [None, Some(' '), Some('g'), Some('7')][at % 4];
            let damaged: String = text[..at].iter().chain(&changed).chain(&text[at + 1..]).collect();
            let result = whole(&damaged);
            copies += 1;
            if let Ok(read) = &result {
                fine += 1;
                count += read.len();
            }
            for byte in format!("{result:?}").bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            }
        }
        table += &format!("{name}: {copies} {fine} {count} {hash:016x}\n");
    }
    insta::assert_snapshot!(table, @"
    xxd: 258 114 5698 d21e85cbb3b8aa01
    xxd -g1: 290 131 6548 4e6cea699ac0a287
    hexdump -C: 311 132 6600 7784d9b381780142
    hexdump: 165 34 1700 83a4e5619f22a40f
    od -tx1z: 298 124 6200 999195603acef810
    od -td1: 290 137 6850 29f284c80702a54b
    tshark -x: 278 119 5948 9c01cf91dfb03a54
    tcpdump -XX: 304 159 7948 b14327ef3c632ade
    Frida hexdump(): 366 179 8932 5ae23492076942ed
    gdb x/16xb: 421 78 3900 651b6a164788982b
    gdb x/16db: 348 136 6800 83cd26e89561b4eb
    WinDbg db: 349 134 6682 0782d4ea2ce75ef3
    DOS debug: 298 124 6198 a1c0e2f6ea0a3ace
    IDA, hex view: 326 120 5998 f65b002feb87058b
    IDA, listing: 250 62 3100 e171a2b9bf9299a1
    hexyl: 486 307 15328 3d7bc377532a3f93
    hexyl --border ascii: 486 301 15050 67933f3fbc8266b2
    HxD: 349 175 8748 05548d815a841f97
    PowerShell Format-Hex: 354 153 7648 9990e6c551ddf48a
    010 Editor: 278 129 6448 2788665e6a373c7b
    UltraEdit: 298 126 6298 5caf95fe69fad4f3
    lldb memory read: 298 130 6498 73118071300360d0
    certutil -encodehex: 278 120 5998 6ea6391595e822d1
    groups of four bytes and two spaces: 162 40 1966 07a94a8ecd8e3157
    the same as pairs: 183 48 2408 df03a60f395fcb4b
    xxd -p: 102 27 1350 7c3985b37a081249
    colons: 149 49 2450 3eaa68fcb116bcb2
    dashes: 149 49 2450 3eaa68fcb116bcb2
    numbers with 0x: 298 125 6250 8ff8580ee75d012d
    xxd -i: 326 149 7450 c0b00727ec560a13
    Java: 664 164 8800 b9c702e0b41000ff
    escapes: 200 50 2500 859fa2052e006b65
    octal escapes in quotes: 207 155 7950 a6c5a51b8536ac3d
    strace -xx: 223 121 6200 03d5e1cf54a53e48
    percent-encoding: 120 57 2891 16bf2830e7e18474
    percent-encoding of everything: 150 62 3163 a56de752ff272d59
    IDA, db: 335 157 7850 5f737cbbc051c4e3
    a log line: 173 72 3599 198bdf6d6cd3108d
    a time before it: 166 63 3150 0c8c976ca1d4b4b6
    below prose: 173 72 3598 884746497a464d62
    tshark -z follow,tcp,raw: 152 71 3550 ab7c1f7fae4936cc
    follow -T yaml: 277 174 8701 f2aa645ee135ed5c
    logcat: 346 226 11300 a230950203d48854
    kernel print_hex_dump: 332 198 9898 883ab4ab389bf6c2
    a debugger's dash: 227 56 2832 5d127c62238d82c1
    radare2 px: 336 184 9184 9f6a5983e4034179
    Visual Studio: 288 115 5748 434ceee93d663176
    strace -e write: 344 167 8344 5ad09beed9c36900
    decimal offsets: 225 98 4900 824d0412209a3d9f
    WowPacketParser: 688 514 25692 f9b2bad20717c324
    mangos: 292 153 7578 19aac2b3f7633ec4
    Delphi: 286 109 5450 d144d83b63500fc1
    Visual Basic: 329 149 7450 866f42cd20771728
    bits: 449 127 23592 dfaa47f70c4ad4bd
    bits with 0b: 549 262 40500 08203f99a3ed0a61
    xxd -b: 644 93 4648 5070e1adf9c53afb
    Snort: 169 58 2900 866c121005aac525
    columns of tshark: 114 38 1900 99cd7585b678023d
    a data URI: 105 87 4334 5a690e6bc0d66ac9
    gdb x/8c: 589 289 14449 6922d0ae565bab5b
    rows behind a log: 350 216 10780 34b662e711016278
    xxd -e: 242 106 5264 60858b403e7a1dc8
    xxd -g4: 242 107 5314 244e365b28818bc3
    od -tu1: 240 62 3100 31db328cce51087c
    bare pairs: 149 49 2450 3eaa68fcb116bcb2
    decimals: 223 132 6607 0d85f2b53af7f306
    decimals in brackets: 225 131 6558 132a57e08f0eecb3
    signed bytes: 227 133 6653 1b55702d1ce4d353
    a Go slice: 176 93 4653 884a6e43215c8841
    JSON of a Buffer: 250 158 7908 436b392d970fa554
    Erlang: 178 98 4901 6411ddc63187eee6
    a Buffer of Node.js: 158 56 2799 0a877c281c7a1e4b
    bytes.fromhex: 166 68 3399 de9ba6b2e20a9982
    binascii.hexlify: 103 101 8775 d1e442a978cd8873
    ");
}
