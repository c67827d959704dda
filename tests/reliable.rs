//! Messages that reliability layers of games deliver: once, in order, and joined from fragments.

use crate::common::run;

fn list(filter: &str) -> String {
    run(&["-l", "-Y", filter, "samples/games.pcap"]).out
}

#[test]
fn messages_of_kcp_are_records_of_their_own() {
    insta::assert_snapshot!(list("kcp"), @"
     96   2.005952    192.168.1.20:50342 → 203.0.113.80:8000     KCP         34 Push, 10 bytes of payload
     97   2.025952     203.0.113.80:8000 → 192.168.1.20:50342    KCP         24 Ack
     98   2.045952    192.168.1.20:50342 → 203.0.113.80:8000     KCP         30 Push, 6 bytes of payload
     99   2.065952    192.168.1.20:50342 → 203.0.113.80:8000     KCP         25 Message, 25 bytes
    100   2.085952    192.168.1.20:50342 → 203.0.113.80:8000     KCP         30 Push, 6 bytes of payload
    101   2.105952     203.0.113.80:8000 → 192.168.1.20:50342    KCP          5 Message, 5 bytes
    102   2.125952    192.168.1.20:50342 → 203.0.113.80:8000     KCP         48 Window probe, Ack
    103   2.145952     203.0.113.80:8000 → 192.168.1.20:50342    KCP         24 Window size
    104   2.165952    192.168.1.20:50343 → 203.0.113.80:22101    KCP         20 Connect
    105   2.185952    203.0.113.80:22101 → 192.168.1.20:50343    KCP         20 Established
    106   2.205952    192.168.1.20:50343 → 203.0.113.80:22101    KCP          4 Message, 4 bytes
    107   2.205952    192.168.1.20:50343 → 203.0.113.80:22101    KCP          5 Message, 5 bytes
    108   2.225952    203.0.113.80:22101 → 192.168.1.20:50343    KCP         56 Ack, Ack
    109   2.245952    192.168.1.20:50343 → 203.0.113.80:22101    KCP         20 Disconnect
    110   2.265952    192.168.1.20:50344 → 203.0.113.80:8001     KCP          3 Message, 3 bytes
    111   2.285952     203.0.113.80:8001 → 192.168.1.20:50344    KCP         24 Ack
    ");
}

#[test]
fn messages_of_photon_are_records_of_their_own() {
    insta::assert_snapshot!(list("photon || photon.message"), @"
    112   2.305952    192.168.1.20:50345 → 203.0.113.80:5055     Photon      56 Connect
    113   2.325952     203.0.113.80:5055 → 192.168.1.20:50345    Photon      76 Acknowledge, Verify connect
    114   2.345952    192.168.1.20:50345 → 203.0.113.80:5055     Photon      41 Init, GpBinary 1.8
    115   2.365952     203.0.113.80:5055 → 192.168.1.20:50345    Photon       3 Init response
    116   2.385952    192.168.1.20:50345 → 203.0.113.80:5055     Photon      61 Send reliable, 37 bytes of payload
    117   2.405952    192.168.1.20:50345 → 203.0.113.80:5055     Photon      11 Internal operation request, 0 Exchange keys, 1 parameter
    118   2.385952    192.168.1.20:50345 → 203.0.113.80:5055     Photon      37 Operation request, 230 Authenticate, 3 parameters
    119   2.425952     203.0.113.80:5055 → 192.168.1.20:50345    Photon      17 Operation response, 230 Authenticate, 2 parameters
    120   2.445952     203.0.113.80:5055 → 192.168.1.20:50345    Photon      10 Event, 201, 1 parameter
    121   2.445952     203.0.113.80:5055 → 192.168.1.20:50345    Photon     219 Event, 200, 43 parameters
    122   2.465952     203.0.113.80:5055 → 192.168.1.20:50345    Photon      10 Event, 201, 1 parameter
    123   2.485952     203.0.113.80:5055 → 192.168.1.20:50345    Photon      60 Send fragment, 16 bytes of payload
    124   2.505952     203.0.113.80:5055 → 192.168.1.20:50345    Photon      40 Event, 253 Properties changed, 2 parameters
    125   2.525952    192.168.1.20:50345 → 203.0.113.80:5055     Photon       6 Operation request, encrypted
    126   2.545952    192.168.1.20:50345 → 203.0.113.80:5055     Photon      17 Encrypted
    127   2.565952    192.168.1.20:50345 → 203.0.113.80:5055     Photon       4 Operation request, 254 Leave, 0 parameters
    128   2.585952    192.168.1.20:50346 → 203.0.113.80:5056     Photon      13 Ping of a server
    129   2.605952     203.0.113.80:5056 → 192.168.1.20:50346    Photon      13 Ping of a server
    130   2.625952     203.0.113.80:5056 → 192.168.1.20:50346    Photon     188 Event, 200, 22 parameters
    131   2.645952    192.168.1.20:50346 → 203.0.113.80:5056     Photon       8 Operation request, 253 Raise event, 1 parameter
    132   2.665952     203.0.113.80:5056 → 192.168.1.20:50346    Photon      18 Operation response, 253 Raise event, returned 32761, 0 parameters
    ");
}

#[test]
fn a_login_of_photon_that_waits_for_its_turn_is_masked() {
    for form in [&["-V"][..], &["-x"], &["--json"], &["--packets", "-V"]] {
        let out = run(&[form, &["-Y", "photon || photon.message", "samples/games.pcap"]].concat()).out;
        let hex = "6d6f73732d677265656e";
        assert!(!out.is_empty() && !out.contains("moss-green") && !out.contains(hex), "{form:?}: {out}");
    }
}

#[test]
fn messages_of_raknet_have_the_names_of_the_option() {
    let ids = "raknet.ids=90=00,93=03";
    let out = run(&["-l", "-o", ids, "-Y", "udp.port == 19132", "samples/games.pcap"]).out;
    insta::assert_snapshot!(out, @"
    133   2.685952    203.0.113.80:19132 → 192.168.1.20:50347    RakNet      28 open_connection_reply_1, MTU 1396
    134   2.705952    192.168.1.20:50347 → 203.0.113.80:19132    RakNet      34 open_connection_request_2, MTU 1396
    135   2.725952    203.0.113.80:19132 → 192.168.1.20:50347    RakNet      35 open_connection_reply_2, MTU 1396
    136   2.745952    192.168.1.20:50347 → 203.0.113.80:19132    RakNet       9 connected_ping
    137   2.765952    203.0.113.80:19132 → 192.168.1.20:50347    RakNet      17 connected_pong, round trip 20.000 ms
    138   2.785952    203.0.113.80:19132 → 192.168.1.20:50347    RakNet       7 ack, #0
    ");
}

#[test]
fn a_connection_of_raknet_is_recognized_by_datagrams_in_order() {
    insta::assert_snapshot!(run(&["-l", "-Y", "udp.port == 19133", "samples/games.pcap"]).out, @"
    139   2.805952    203.0.113.80:19133 → 192.168.1.20:50348    Data        17 17 bytes  84 0a 00 00 60 00 18 0f 00 00 05 00 00 00 8a 01 …
    140   2.825952    203.0.113.80:19133 → 192.168.1.20:50348    Data        18 18 bytes  84 0b 00 00 60 00 20 10 00 00 06 00 00 00 8a 03 …
    141   2.845952    203.0.113.80:19133 → 192.168.1.20:50348    Data         3 3 bytes  8a 06 07
    142   2.865952    192.168.1.20:50348 → 203.0.113.80:19133    RakNet      10 ack, #10 to #12
    143   2.885952    203.0.113.80:19133 → 192.168.1.20:50348    Data         3 3 bytes  8a 08 09
    ");
}
