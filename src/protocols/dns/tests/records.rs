//! Records of all supported types.

use super::*;

pub(super) const ALL_TYPES: &str = "000784000001001500000001076578616d706c6503636f6d0000ff0001c00c000600010000003c0037026e73076578616d706c65 \
    03636f6d000561646d696e076578616d706c6503636f6d0078c4046500001c2000000384001275000000012cc00c000f00010000 \
    003c0014000a046d61696c076578616d706c6503636f6d00c00c001000010000003c000a05763d6f6e650374776fc00c000d0001 \
    0000003c000a0341524d054c696e7578c00c002300010000003c00260064000a0155074532552b73697016215e2e2a2421736970 \
    3a6140622e6578616d706c652100c00c001d00010000003c0010001216138af0fc287dcd334000989fe0c00c002b00010000003c \
    0018ec450501000102030405060708090a0b0c0d0e0f10111213c00c003000010000003c000c0101030d0001020304050607c00c \
    002e00010000003c002700010d0200000e105fe2ec1f5fd9a1373bd2076578616d706c6503636f6d000001020304050607c00c00 \
    2f00010000003c001a04686f7374076578616d706c6503636f6d000006400100000003c00c003200010000003c00210101000c04 \
    aabbccdd14000102030405060708090a0b0c0d0e0f10111213000162c00c003300010000003c00090100000c04aabbccddc00c00 \
    3400010000003c000b0301010001020304050607c00c002c00010000003c000a04020001020304050607c00c004100010000003c \
    001b000100000100060268320268330003000220fb00040004c0000250c00c010000010000003c0018000a000168747470733a2f \
    2f6578616d706c652e636f6d2fc00c010100010000003c00110005697373756563612e6578616d706c65c00c002d00010000003c \
    000b0a0102c000022600010203c00c002a00010000003c000700011883c00002c00c006300010000003c000706763d73706631c0 \
    0cff7800010000003c00020102036b6579076578616d706c650000fa00ff0000000000210b686d61632d7368613235360000005f \
    d9a137012c000400010203000700000000";

#[test]
fn records_of_every_type() {
    insta::assert_snapshot!(alone(Dialect::Dns, ALL_TYPES), @r#"
    dns 0..745 | response | ANY example.com: SOA ns.example.com, MX mail.example.com, TXT and 18 more
      0..2 dns.id = 0x0007
      2..4 dns.flags = 0x8400
        2..4 dns.flags.response = true
        2..4 dns.flags.opcode = 0 (query)
        2..4 dns.flags.authoritative = true
        2..4 dns.flags.truncated = false
        2..4 dns.flags.recdesired = false
        2..4 dns.flags.recavail = false
        2..4 dns.flags.z = false
        2..4 dns.flags.authenticated = false
        2..4 dns.flags.checkdisable = false
        2..4 dns.flags.rcode = 0 (no error)
      4..6 dns.count.queries = 1
      6..8 dns.count.answers = 21
      8..10 dns.count.auth_rr = 0
      10..12 dns.count.add_rr = 1
      12..29 dns.query
        12..25 dns.qry.name = "example.com"
        dns.qry.name.len = 11
        dns.count.labels = 2
        25..27 dns.qry.type = 255 (ANY)
        27..29 dns.qry.class = 0x0001 (IN)
      29..96 dns.answer
        29..31 dns.resp.name = "example.com"
        31..33 dns.resp.type = 6 (SOA)
        33..35 dns.resp.class = 0x0001 (IN)
        35..39 dns.resp.ttl = 60
        39..41 dns.resp.len = 55
        41..57 dns.soa.mname = "ns.example.com"
        57..76 dns.soa.rname = "admin.example.com"
        76..80 dns.soa.serial_number = 2026112101
        80..84 dns.soa.refresh_interval = 7200
        84..88 dns.soa.retry_interval = 900
        88..92 dns.soa.expire_limit = 1209600
        92..96 dns.soa.minimum_ttl = 300
      96..128 dns.answer
        96..98 dns.resp.name = "example.com"
        98..100 dns.resp.type = 15 (MX)
        100..102 dns.resp.class = 0x0001 (IN)
        102..106 dns.resp.ttl = 60
        106..108 dns.resp.len = 20
        108..110 dns.mx.preference = 10
        110..128 dns.mx.mail_exchange = "mail.example.com"
      128..150 dns.answer
        128..130 dns.resp.name = "example.com"
        130..132 dns.resp.type = 16 (TXT)
        132..134 dns.resp.class = 0x0001 (IN)
        134..138 dns.resp.ttl = 60
        138..140 dns.resp.len = 10
        140..141 dns.txt.length = 5
        141..146 dns.txt = "v=one"
        146..147 dns.txt.length = 3
        147..150 dns.txt = "two"
      150..172 dns.answer
        150..152 dns.resp.name = "example.com"
        152..154 dns.resp.type = 13 (HINFO)
        154..156 dns.resp.class = 0x0001 (IN)
        156..160 dns.resp.ttl = 60
        160..162 dns.resp.len = 10
        162..163 dns.hinfo.cpu_length = 3
        163..166 dns.hinfo.cpu = "ARM"
        166..167 dns.hinfo.os_length = 5
        167..172 dns.hinfo.os = "Linux"
      172..222 dns.answer
        172..174 dns.resp.name = "example.com"
        174..176 dns.resp.type = 35 (NAPTR)
        176..178 dns.resp.class = 0x0001 (IN)
        178..182 dns.resp.ttl = 60
        182..184 dns.resp.len = 38
        184..186 dns.naptr.order = 100
        186..188 dns.naptr.preference = 10
        188..189 dns.naptr.flags_length = 1
        189..190 dns.naptr.flags = "U"
        190..191 dns.naptr.service_length = 7
        191..198 dns.naptr.service = "E2U+sip"
        198..199 dns.naptr.regex_length = 22
        199..221 dns.naptr.regex = "!^.*$!sip:a@b.example!"
        221..222 dns.naptr.replacement = "<Root>"
      222..250 dns.answer
        222..224 dns.resp.name = "example.com"
        224..226 dns.resp.type = 29 (LOC)
        226..228 dns.resp.class = 0x0001 (IN)
        228..232 dns.resp.ttl = 60
        232..234 dns.resp.len = 16
        234..235 dns.loc.version = 0
        235..236 dns.loc.size = 18
        236..237 dns.loc.horizontal_precision = 22
        237..238 dns.loc.vertical_precision = 19
        238..242 dns.loc.latitude = 2331049000
        242..246 dns.loc.longitude = 2110600000
        246..250 dns.loc.altitude = 10002400
      250..286 dns.answer
        250..252 dns.resp.name = "example.com"
        252..254 dns.resp.type = 43 (DS)
        254..256 dns.resp.class = 0x0001 (IN)
        256..260 dns.resp.ttl = 60
        260..262 dns.resp.len = 24
        262..264 dns.ds.key_id = 0xec45
        264..265 dns.ds.algorithm = 5 (RSA/SHA-1)
        265..266 dns.ds.digest_type = 1 (SHA-1)
        266..286 dns.ds.digest = 20 bytes
      286..310 dns.answer
        286..288 dns.resp.name = "example.com"
        288..290 dns.resp.type = 48 (DNSKEY)
        290..292 dns.resp.class = 0x0001 (IN)
        292..296 dns.resp.ttl = 60
        296..298 dns.resp.len = 12
        298..300 dns.dnskey.flags = 0x0101
          298..300 dns.dnskey.flags.zone_key = true
          298..300 dns.dnskey.flags.key_revoked = false
          298..300 dns.dnskey.flags.secure_entry_point = true
        300..301 dns.dnskey.protocol = 3
        301..302 dns.dnskey.algorithm = 13 (ECDSA P-256 with SHA-256)
        302..310 dns.dnskey.public_key = 0001020304050607
      310..361 dns.answer
        310..312 dns.resp.name = "example.com"
        312..314 dns.resp.type = 46 (RRSIG)
        314..316 dns.resp.class = 0x0001 (IN)
        316..320 dns.resp.ttl = 60
        320..322 dns.resp.len = 39
        322..324 dns.rrsig.type_covered = 1 (A)
        324..325 dns.rrsig.algorithm = 13 (ECDSA P-256 with SHA-256)
        325..326 dns.rrsig.labels = 2
        326..330 dns.rrsig.original_ttl = 3600
        330..334 dns.rrsig.signature_expiration = "Dec 23, 2020 07:05:03.000000000 UTC"
        334..338 dns.rrsig.signature_inception = "Dec 16, 2020 05:55:03.000000000 UTC"
        338..340 dns.rrsig.key_tag = 15314
        340..353 dns.rrsig.signers_name = "example.com"
        353..361 dns.rrsig.signature = 0001020304050607
      361..399 dns.answer
        361..363 dns.resp.name = "example.com"
        363..365 dns.resp.type = 47 (NSEC)
        365..367 dns.resp.class = 0x0001 (IN)
        367..371 dns.resp.ttl = 60
        371..373 dns.resp.len = 26
        373..391 dns.nsec.next_domain_name = "host.example.com"
        391..392 dns.type_bitmap.window = 0
        392..393 dns.type_bitmap.length = 6
        393..399 dns.type_bitmap = 400100000003
        393..394 dns.resp.type = 1 (A)
        394..395 dns.resp.type = 15 (MX)
        398..399 dns.resp.type = 46 (RRSIG)
        398..399 dns.resp.type = 47 (NSEC)
      399..444 dns.answer
        399..401 dns.resp.name = "example.com"
        401..403 dns.resp.type = 50 (NSEC3)
        403..405 dns.resp.class = 0x0001 (IN)
        405..409 dns.resp.ttl = 60
        409..411 dns.resp.len = 33
        411..412 dns.nsec3.algo = 1 (SHA-1)
        412..413 dns.nsec3.flags = 1
          412..413 dns.nsec3.flags.opt_out = true
        413..415 dns.nsec3.iterations = 12
        415..416 dns.nsec3.salt_length = 4
        416..420 dns.nsec3.salt_value = aabbccdd
        420..421 dns.nsec3.hash_length = 20
        421..441 dns.nsec3.hash_value = "000g40o40k30e209185go38e1s8124gj"
        441..442 dns.type_bitmap.window = 0
        442..443 dns.type_bitmap.length = 1
        443..444 dns.type_bitmap = 62
        443..444 dns.resp.type = 1 (A)
        443..444 dns.resp.type = 2 (NS)
        443..444 dns.resp.type = 6 (SOA)
      444..465 dns.answer
        444..446 dns.resp.name = "example.com"
        446..448 dns.resp.type = 51 (NSEC3PARAM)
        448..450 dns.resp.class = 0x0001 (IN)
        450..454 dns.resp.ttl = 60
        454..456 dns.resp.len = 9
        456..457 dns.nsec3.algo = 1 (SHA-1)
        457..458 dns.nsec3.flags = 0
          457..458 dns.nsec3.flags.opt_out = false
        458..460 dns.nsec3.iterations = 12
        460..461 dns.nsec3.salt_length = 4
        461..465 dns.nsec3.salt_value = aabbccdd
      465..488 dns.answer
        465..467 dns.resp.name = "example.com"
        467..469 dns.resp.type = 52 (TLSA)
        469..471 dns.resp.class = 0x0001 (IN)
        471..475 dns.resp.ttl = 60
        475..477 dns.resp.len = 11
        477..478 dns.tlsa.certificate_usage = 3 (domain-issued certificate)
        478..479 dns.tlsa.selector = 1 (public key)
        479..480 dns.tlsa.matching_type = 1 (SHA-256)
        480..488 dns.tlsa.certificate_association_data = 0001020304050607
      488..510 dns.answer
        488..490 dns.resp.name = "example.com"
        490..492 dns.resp.type = 44 (SSHFP)
        492..494 dns.resp.class = 0x0001 (IN)
        494..498 dns.resp.ttl = 60
        498..500 dns.resp.len = 10
        500..501 dns.sshfp.algorithm = 4 (Ed25519)
        501..502 dns.sshfp.fingerprint.type = 2 (SHA-256)
        502..510 dns.sshfp.fingerprint = 0001020304050607
      510..549 dns.answer
        510..512 dns.resp.name = "example.com"
        512..514 dns.resp.type = 65 (HTTPS)
        514..516 dns.resp.class = 0x0001 (IN)
        516..520 dns.resp.ttl = 60
        520..522 dns.resp.len = 27
        522..524 dns.svcb.svcpriority = 1
        524..525 dns.svcb.targetname = "<Root>"
        525..535 dns.svcb.svcparam
          525..527 dns.svcb.svcparam.key = 1 (alpn)
          527..529 dns.svcb.svcparam.value.length = 6
          529..530 dns.svcb.svcparam.alpn.length = 2
          530..532 dns.svcb.svcparam.alpn = "h2"
          532..533 dns.svcb.svcparam.alpn.length = 2
          533..535 dns.svcb.svcparam.alpn = "h3"
        535..541 dns.svcb.svcparam
          535..537 dns.svcb.svcparam.key = 3 (port)
          537..539 dns.svcb.svcparam.value.length = 2
          539..541 dns.svcb.svcparam.port = 8443
        541..549 dns.svcb.svcparam
          541..543 dns.svcb.svcparam.key = 4 (ipv4hint)
          543..545 dns.svcb.svcparam.value.length = 4
          545..549 dns.svcb.svcparam.ipv4hint.ip = 192.0.2.80
      549..585 dns.answer
        549..551 dns.resp.name = "example.com"
        551..553 dns.resp.type = 256 (URI)
        553..555 dns.resp.class = 0x0001 (IN)
        555..559 dns.resp.ttl = 60
        559..561 dns.resp.len = 24
        561..563 dns.uri.priority = 10
        563..565 dns.uri.weight = 1
        565..585 dns.uri.target = "https://example.com/"
      585..614 dns.answer
        585..587 dns.resp.name = "example.com"
        587..589 dns.resp.type = 257 (CAA)
        589..591 dns.resp.class = 0x0001 (IN)
        591..595 dns.resp.ttl = 60
        595..597 dns.resp.len = 17
        597..598 dns.caa.flags = 0x00
          597..598 dns.caa.flags.issuer_critical = false
        598..599 dns.caa.tag_length = 5
        599..604 dns.caa.tag = "issue"
        604..614 dns.caa.value = "ca.example"
      614..637 dns.answer
        614..616 dns.resp.name = "example.com"
        616..618 dns.resp.type = 45 (IPSECKEY)
        618..620 dns.resp.class = 0x0001 (IN)
        620..624 dns.resp.ttl = 60
        624..626 dns.resp.len = 11
        626..627 dns.ipseckey.gateway_precedence = 10
        627..628 dns.ipseckey.gateway_type = 1
        628..629 dns.ipseckey.gateway_algorithm = 2
        629..633 dns.ipseckey.gateway_ipv4 = 192.0.2.38
        633..637 dns.ipseckey.public_key = 00010203
      637..656 dns.answer
        637..639 dns.resp.name = "example.com"
        639..641 dns.resp.type = 42 (APL)
        641..643 dns.resp.class = 0x0001 (IN)
        643..647 dns.resp.ttl = 60
        647..649 dns.resp.len = 7
        649..656 dns.apl
          649..651 dns.apl.address_family = 1
          651..652 dns.apl.coded_prefix = 24
          652..653 dns.apl.negation = true
          652..653 dns.apl.afdlength = 3
          653..656 dns.apl.afdpart.data = c00002
      656..675 dns.answer
        656..658 dns.resp.name = "example.com"
        658..660 dns.resp.type = 99 (SPF)
        660..662 dns.resp.class = 0x0001 (IN)
        662..666 dns.resp.ttl = 60
        666..668 dns.resp.len = 7
        668..669 dns.spf.length = 6
        669..675 dns.spf = "v=spf1"
      675..689 dns.answer
        675..677 dns.resp.name = "example.com"
        677..679 dns.resp.type = 65400
        679..681 dns.resp.class = 0x0001 (IN)
        681..685 dns.resp.ttl = 60
        685..687 dns.resp.len = 2
        687..689 dns.data = 0102
      689..745 dns.additional
        689..702 dns.resp.name = "key.example"
        702..704 dns.resp.type = 250 (TSIG)
        704..706 dns.resp.class = 0x00ff (ANY)
        706..710 dns.resp.ttl = 0
        710..712 dns.resp.len = 33
        712..725 dns.tsig.algorithm_name = "hmac-sha256"
        725..731 dns.tsig.time_signed = "Dec 16, 2020 05:55:03.000000000 UTC"
        731..733 dns.tsig.fudge = 300
        733..735 dns.tsig.mac_size = 4
        735..739 dns.tsig.mac = 00010203
        739..741 dns.tsig.original_id = 7
        741..743 dns.tsig.error = 0 (no error)
        743..745 dns.tsig.other_len = 0
      dns.unsolicited = true
    "#);
}
