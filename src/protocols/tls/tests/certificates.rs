//! Certificates, and requests for them.

use super::*;

/// Dissects a handshake message after a ServerHello of this version.
fn message_of(version: u16, hex: &str) -> String {
    let message = trial::bytes(hex);
    let [high, low] = u16::try_from(message.len()).unwrap().to_be_bytes();
    let record = [&[22, 3, 3, high, low][..], &message].concat();
    let mut session = Session::default();
    session.hello.version = version;
    split(&mut session, Side::Server, &record)
}

/// Values of these fields in order.
fn values<'t>(tree: &'t str, fields: &[&str]) -> Vec<&'t str> {
    let named = |line: &'t str| line.trim_start().split_once(' ')?.1.split_once(" = ").filter(|(name, _)| fields.contains(name));
    tree.lines().filter_map(named).map(|(_, value)| value).collect()
}

#[test]
fn a_certificate_request_lists_its_authorities() {
    let names = ["tls.handshake.dname_len", "tls.handshake.dname", "x509sat.CountryName", "x509sat.uTF8String"];
    let expected = ["44", "\"C=DE, O=Org, CN=CA 1\"", "\"DE\"", "\"Org\"", "\"CA 1\"", "17", "\"CN=CA 2\"", "\"CA 2\""];
    let of_1_2 = message_of(TLS_1_2, CERTIFICATE_REQUEST);
    assert_eq!(values(&of_1_2, &names), expected, "{of_1_2}");
    assert_eq!(values(&of_1_2, &["tls.handshake.cert_type"]), ["1 (rsa_sign)", "64 (ecdsa_sign)"]);
    assert_eq!(values(&of_1_2, &["tls.handshake.sig_hash_alg"]).len(), 2, "{of_1_2}");
    let of_1_3 = message_of(TLS_1_3, CERTIFICATE_REQUEST_1_3);
    assert_eq!(values(&of_1_3, &names), expected, "{of_1_3}");
    assert!(!of_1_2.contains('!') && !of_1_3.contains('!'), "{of_1_2}{of_1_3}");
    let damaged = CERTIFICATE_REQUEST.replace("002c302a", "002c042a");
    assert_eq!(values(&message_of(TLS_1_2, &damaged), &["tls.handshake.dname_len"]), ["44", "17"]);
}

#[test]
fn a_context_of_a_tls_1_3_certificate_request_precedes_its_extensions() {
    let names = ["tls.handshake.certificate_request_context_length", "tls.handshake.certificate_request_context"];
    assert_eq!(values(&message_of(TLS_1_3, CERTIFICATE_REQUEST_1_3), &names), ["0"]);
    let with_context = CERTIFICATE_REQUEST_1_3.replacen("0d00005400", "0d00005703a1b2c3", 1);
    let tree = message_of(TLS_1_3, &with_context);
    assert_eq!(values(&tree, &names), ["3", "a1b2c3"], "{tree}");
    assert!(!tree.contains('!') && values(&tree, &["tls.handshake.dname_len"]).len() == 2, "{tree}");
}

#[test]
fn the_years_of_certificates_have_the_century_of_their_form() {
    // RFC 5280, section 4.1.2.5: UTCTime until 2049, GeneralizedTime after it.
    let hex: String = CERTIFICATE_WITH_NAMES.split_whitespace().collect();
    let of = |replacements: &[(&str, &str)]| {
        let hex = replacements.iter().fold(hex.clone(), |hex, (from, to)| hex.replacen(from, to, 1));
        let tree = message_of(TLS_1_2, &hex);
        values(&tree, &["x509af.notBefore.time", "x509af.notAfter.time"])
            .iter()
            .map(|time| (*time).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(of(&[]), ["\"2024-01-01 00:00:00\"", "\"2025-01-01 00:00:00\""]);
    let years = [("170d3234", "170d3439"), ("170d3235", "170d3530")];
    assert_eq!(of(&years), ["\"2049-01-01 00:00:00\"", "\"1950-01-01 00:00:00\""]);
    // A GeneralizedTime is longer by two bytes, as is everything around it.
    let generalized = [
        ("0b00029000028d00028a30820286", "0b00029200028f00028c30820288"),
        ("30820238", "3082023a"),
        ("301e170d", "3020170d"),
        ("170d3235303130313030303030305a", "180f32303530303130323033303430355a"),
    ];
    assert_eq!(of(&generalized), ["\"2024-01-01 00:00:00\"", "\"2050-01-02 03:04:05\""]);
}

#[test]
fn names_in_certificate_extensions_are_dissected() {
    let tree = message_of(TLS_1_2, CERTIFICATE_WITH_NAMES);
    let names = "CA 2,leaf,alt name,issuer alt,crl dir,crl issuer,relative,rel issuer,key issuer,permitted,ca issuer";
    let quoted = |names: &str| names.split(',').map(|name| format!("\"{name}\"")).collect::<Vec<String>>();
    assert_eq!(values(&tree, &["x509sat.uTF8String"]), quoted(names), "{tree}");
    assert_eq!(values(&tree, &["x509ce.dNSName"]), quoted("a.example,bad.example"), "{tree}");
    let uris = quoted("http://i.example,http://crl.example/a,http://ocsp.example");
    assert_eq!(values(&tree, &["x509ce.uniformResourceIdentifier"]), uris, "{tree}");
    assert_eq!(values(&tree, &["x509ce.IPAddress.ipv4"]), ["192.0.2.1"], "{tree}");
    assert_eq!(values(&tree, &["x509ce.registeredID"]), ["\"1.2.3\""], "{tree}");
    assert_eq!(values(&tree, &["x509ce.directoryName"]).len(), 9, "{tree}");
}

/// Two certificate types, two algorithms and two names in a TLS 1.2 CertificateRequest.
const CERTIFICATE_REQUEST: &str = "0d00004c0201400004040304010041002c302a310b3009060355040613024445310c300a060355040a0c034f7267310d300b0603550403 \
        0c04434120310011300f310d300b06035504030c0443412032";

/// Same names and algorithms as extensions of a TLS 1.3 CertificateRequest.
const CERTIFICATE_REQUEST_1_3: &str = "0d000054000051000d0006000404030401002f00430041002c302a310b3009060355040613024445310c300a060355040a0c034f726731 \
        0d300b06035504030c04434120310011300f310d300b06035504030c0443412032";

/// Self-signed certificate with a name in each extension that supports one.
const CERTIFICATE_WITH_NAMES: &str = "0b00029000028d00028a3082028630820238a003020102020105300506032b6570300f310d300b06035504030c0443412032301e170d3234303130313030303030 \
        305a170d3235303130313030303030305a300f310d300b06035504030c046c656166302a300506032b65700321003b6a27bcceb6a42d62 \
        a3a8d02a6f0d73653215771de243a63ac048a18b59da29a38201b7308201b330350603551d11042e302c8209612e6578616d706c65a415 \
        30133111300f06035504030c08616c74206e616d658704c000020188022a0330340603551d12042d302b8610687474703a2f2f692e6578 \
        616d706c65a417301531133011060355040a0c0a69737375657220616c743081890603551d1f048181307f304ba02ea02c861468747470 \
        3a2f2f63726c2e6578616d706c652f61a41430123110300e06035504030c0763726c20646972a219a41730153113301106035504030c0a \
        63726c206973737565723030a013a111300f06035504030c0872656c6174697665a219a41730153113301106035504030c0a72656c2069 \
        7373756572302b0603551d230424302280020102a119a41730153113301106035504030c0a6b6579206973737565728201073036060355 \
        1d1e042f302da01a3018a41630143112301006035504030c097065726d6974746564a10f300d820b6261642e6578616d706c6530530608 \
        2b0601050507010104473045301f06082b060105050730018613687474703a2f2f6f6373702e6578616d706c65302206082b0601050507 \
        3002a41630143112301006035504030c09636120697373756572300506032b65700341003177cd91ddc76ca9814c51801dc84afca68ea4 \
        53ce6897fe3791a6477bb121f0b867fc2a59b9d944841bfed1dd212f5b0c7d91a50b06878c1ee7eb01d43fa506";
