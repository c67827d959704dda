//! Any bytes in every dialect, and damaged texts.

use super::*;

/// Dialects with words, or similar signs, before the bytes.
const LABELLED: [&str; 6] = ["UltraEdit", "010 Editor", "a Buffer of Node.js", "a log line", "a time before it", "bytes.fromhex"];

fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![any::<u8>(), Just(0), prop::sample::select(&b" 09afAF.|><#"[..])];
    prop::collection::vec(byte, 2..80)
}

proptest! {
    // Each case is written and read in the manner of every tool.
    #![proptest_config(ProptestConfig::with_cases(trial::share_of(256)))]

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
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(29), ..ProptestConfig::with_cases(trial::share_of(256)) })]

    #[test]
    fn a_wrong_character_never_loses_a_byte(bytes in any_bytes(), at in any::<prop::sample::Index>()) {
        // Rows behind the prefix of a log or a scheme end where that is damaged, as another line of a log does.
        for (name, write) in WRITERS.iter().chain(DOUBTFUL) {
            let text = write(&bytes);
            let at = at.index(text.chars().count());
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
            let wrong: String = text.chars().enumerate().map(|(place, character)| if place == at { 'g' } else { character }).collect();
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
    xxd: 258 118 5862 e96284ab3d6f9d0d
    xxd -g1: 290 136 6794 b55fa2fcffeda6cc
    hexdump -C: 311 139 6950 37ddaddb7fd1cb1e
    hexdump: 165 38 1900 081a68639edf8dcd
    od -tx1z: 298 129 6450 28e58e7d999c5611
    od -td1: 290 141 7050 4edbc5b3cd3caeb3
    tshark -x: 278 121 6044 eeffc45e0a2d5f09
    tcpdump -XX: 304 163 8098 d4eba57cbdbd9779
    Frida hexdump(): 366 180 8980 f8dfb805d4ef94fb
    gdb x/16xb: 421 82 4092 a60c016093f40478
    gdb x/16db: 348 140 6992 42b9996fd3ff1b8a
    WinDbg db: 349 142 7066 fb374c32268be1bd
    DOS debug: 298 125 6246 574dfb6427cd9abc
    IDA, hex view: 326 124 6190 f1ea3bfc3fe18542
    IDA, listing: 250 75 3918 a8db7497cb058a24
    hexyl: 486 307 15328 be2802d067dafd85
    hexyl --border ascii: 486 301 15050 74d14c700966ebba
    HxD: 349 177 8844 c451b037f980978b
    PowerShell Format-Hex: 354 155 7744 11e177f253facc0c
    010 Editor: 278 133 6630 4d268ec28716e0f2
    UltraEdit: 298 134 6677 ff90dccf2e714e9a
    lldb memory read: 298 134 6694 24f42fe7d3e14479
    certutil -encodehex: 278 122 6094 d49e00ea3869b07e
    groups of four bytes and two spaces: 162 50 2396 6252633122094e00
    the same as pairs: 183 50 2504 ac3a52a820f4097e
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
    below prose: 173 73 3646 2d59d9098a7f45cb
    tshark -z follow,tcp,raw: 152 71 3550 ab7c1f7fae4936cc
    follow -T yaml: 277 208 10367 a96281e72cb786a1
    logcat: 346 236 11788 a35d4289d86e89f9
    kernel print_hex_dump: 332 206 10288 6c1a39cf6706e439
    a debugger's dash: 227 67 3323 1d767264bab4f6ec
    radare2 px: 336 193 9616 dad05d086cb1bfa5
    Visual Studio: 288 125 6228 b86e9aa835b0ead1
    strace -e write: 344 174 8680 19c0b47d0a26b7c7
    decimal offsets: 225 101 5044 5e7c4672d15c0fb3
    WowPacketParser: 688 538 26886 25d7c1e4c249bd4f
    mangos: 292 156 7722 d6a9d3a826bc4853
    Delphi: 286 109 5450 d144d83b63500fc1
    Visual Basic: 329 149 7450 866f42cd20771728
    bits: 449 127 23592 dfaa47f70c4ad4bd
    bits with 0b: 549 262 40500 08203f99a3ed0a61
    xxd -b: 644 95 4744 eac729d76e03c01d
    Snort: 169 58 2900 f701d0b118decb78
    columns of tshark: 114 38 1900 99cd7585b678023d
    a data URI: 105 87 4334 5a690e6bc0d66ac9
    gdb x/8c: 589 291 14545 a3b8822adea28814
    rows behind a log: 350 223 11116 1b616a46d9c2e33f
    xxd -e: 242 116 5680 f3481d5fbc465e2b
    xxd -g4: 242 117 5730 d8fcfa7704a6859e
    od -tu1: 240 68 3400 66193e5cb9c30100
    bare pairs: 149 49 2450 3eaa68fcb116bcb2
    decimals: 223 132 6607 0d85f2b53af7f306
    decimals in brackets: 225 131 6558 132a57e08f0eecb3
    signed bytes: 227 133 6653 1b55702d1ce4d353
    a Go slice: 176 93 4653 884a6e43215c8841
    JSON of a Buffer: 250 157 7858 0b7030790da08a99
    Erlang: 178 98 4901 6411ddc63187eee6
    a Buffer of Node.js: 158 56 2799 0a877c281c7a1e4b
    bytes.fromhex: 166 69 3448 422f5815948644bc
    binascii.hexlify: 103 101 8775 d1e442a978cd8873
    ");
}
