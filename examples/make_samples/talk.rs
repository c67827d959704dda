//! The talk that every capture also holds: names, addresses, time, and who is there.
//!
//! Each message stands here as it was sent; only the headers below are made.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use etherparse::{EtherType, IpNumber, PacketBuilder};

use crate::Result;
use crate::capture::{self, Trace};
use crate::net::{self, Host, Link};
use crate::tcp::{Conversation, Side, Stack};

const PAUSE: Duration = Duration::from_millis(40);

const fn v4([a, b, c, d]: [u8; 4]) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(a, b, c, d))
}

const fn v6(last: u16) -> IpAddr {
    IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, last))
}

const COUCH: IpAddr = v4([192, 0, 2, 9]);
const LAMP: IpAddr = v4([192, 0, 2, 10]);
const ROUTER: IpAddr = v4([192, 0, 2, 1]);
const OUTSIDE: IpAddr = v4([198, 51, 100, 7]);
const NOBODY: IpAddr = v4([0, 0, 0, 0]);
const EVERYONE: IpAddr = v4([255, 255, 255, 255]);
const ALL: IpAddr = v4([192, 0, 2, 255]);
const MDNS: IpAddr = v4([224, 0, 0, 251]);
const SSDP: IpAddr = v4([239, 255, 255, 250]);
const LLMNR: IpAddr = v4([224, 0, 0, 252]);
const COUCH6: IpAddr = v6(9);
const ROUTER6: IpAddr = v6(1);
const SERVERS6: IpAddr = IpAddr::V6(Ipv6Addr::new(0xff02, 0, 0, 0, 0, 0, 1, 2));

/// Who says what to whom in one datagram, in hexadecimal.
type Said = (IpAddr, u16, IpAddr, u16, &'static str);

const TALK: &[Said] = &[
    (
        COUCH,
        50001,
        ROUTER,
        53,
        // dns query
        "1a2b0100000100000000000104706c6179076578616d706c6503636f6d000001000100002904d000008000000c000a00 \
         080001020304050607",
    ),
    (
        ROUTER,
        53,
        COUCH,
        50001,
        // dns response
        "1a2b8180000100020001000204706c6179076578616d706c6503636f6d0000010001c00c000500010000012c00070465 \
         752d31c011c02e000100010000003c0004c0000250c0110002000100000e100005026e73c011c051001c000100000e10 \
         001020010db800000000000000000000005300002904d000000000000b000f000700037374616c65",
    ),
    (
        ROUTER,
        53,
        COUCH,
        50002,
        // dns zoo
        "000784000001001500000001076578616d706c6503636f6d0000ff0001c00c000600010000003c0037026e7307657861 \
         6d706c6503636f6d000561646d696e076578616d706c6503636f6d0078c4046500001c2000000384001275000000012c \
         c00c000f00010000003c0014000a046d61696c076578616d706c6503636f6d00c00c001000010000003c000a05763d6f \
         6e650374776fc00c000d00010000003c000a0341524d054c696e7578c00c002300010000003c00260064000a01550745 \
         32552b73697016215e2e2a24217369703a6140622e6578616d706c652100c00c001d00010000003c0010001216138af0 \
         fc287dcd334000989fe0c00c002b00010000003c0018ec450501000102030405060708090a0b0c0d0e0f10111213c00c \
         003000010000003c000c0101030d0001020304050607c00c002e00010000003c002700010d0200000e105fe2ec1f5fd9 \
         a1373bd2076578616d706c6503636f6d000001020304050607c00c002f00010000003c001a04686f7374076578616d70 \
         6c6503636f6d000006400100000003c00c003200010000003c00210101000c04aabbccdd14000102030405060708090a \
         0b0c0d0e0f10111213000162c00c003300010000003c00090100000c04aabbccddc00c003400010000003c000b030101 \
         0001020304050607c00c002c00010000003c000a04020001020304050607c00c004100010000003c001b000100000100 \
         060268320268330003000220fb00040004c0000250c00c010000010000003c0018000a000168747470733a2f2f657861 \
         6d706c652e636f6d2fc00c010100010000003c00110005697373756563612e6578616d706c65c00c002d00010000003c \
         000b0a0102c000022600010203c00c002a00010000003c000700011883c00002c00c006300010000003c000706763d73 \
         706631c00cff7800010000003c00020102036b6579076578616d706c650000fa00ff0000000000210b686d61632d7368 \
         613235360000005fd9a137012c000400010203000700000000",
    ),
    (
        COUCH,
        5353,
        MDNS,
        5353,
        // mdns query
        "000000000002000000000000055f706c6179045f756470056c6f63616c00000c800105636f756368056c6f63616c0000 \
         1c0001",
    ),
    (
        LAMP,
        5353,
        MDNS,
        5353,
        // mdns response
        "000084000000000400000000055f706c6179045f756470056c6f63616c00000c000100001194000906436f75636831c0 \
         0cc0280021800100000078001300000000698705636f756368056c6f63616c00c0280010800100001194000706763d32 \
         303236c04300018001000000780004c0000209",
    ),
    (
        COUCH,
        50003,
        LLMNR,
        5355,
        // llmnr query
        "d0c80000000100000000000005636f7563680000010001",
    ),
    (
        LAMP,
        5355,
        COUCH,
        50003,
        // llmnr response
        "d0c88000000100010000000005636f7563680000010001c00c000100010000001e0004c0000209",
    ),
    (
        COUCH,
        137,
        ALL,
        137,
        // nbns query
        "800101100001000000000000204544455046464544454943414341434143414341434143414341434143414341000020 \
         0001",
    ),
    (
        LAMP,
        137,
        COUCH,
        137,
        // nbns response
        "800185000000000100000000204544455046464544454943414341434143414341434143414341434143414341000020 \
         0001000493e000060000c0000209",
    ),
    (
        LAMP,
        137,
        COUCH,
        137,
        // nbns status
        "80028400000000010000000020434b414141414141414141414141414141414141414141414141414141414141000021 \
         000100000000005302434f55434820202020202020202020000400484f4d452020202020202020202020008400020000 \
         00000900000000000000000000000000000000000000000000000000000000000000000000000000000000",
    ),
    (
        LAMP,
        137,
        ALL,
        137,
        // nbns register
        "800329100001000000000001204544455046464544454943414341434143414341434143414341434143414141000020 \
         0001c00c00200001000493e000060000c0000209",
    ),
    (
        NOBODY,
        68,
        EVERYONE,
        67,
        // dhcp discover
        "010106003d1d5eed00008000000000000000000000000000000000000200000000090000000000000000000000000000 \
         000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 \
         000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 \
         000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 \
         000000000000000000000000000000000000000000000000000000000000000000000000000000000000000063825363 \
         3501013d07010200000000090c05636f75636837060103060f7779511205000005636f756368076578616d706c6500ff \
         0000000000",
    ),
    (
        ROUTER,
        67,
        COUCH,
        68,
        // dhcp ack
        "020106003d1d5eed0000000000000000c0000209c00002010000000002000000000900000000000000000000626f6f74 \
         2e6578616d706c6500000000000000000000000000000000000000000000000000000000000000000000000000000000 \
         000000000000000000000000420c746674702e6578616d706c65ff000000000000000000000000000000000000000000 \
         000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 \
         000000000000000000000000000000000000000000000000000000000000000000000000000000000000000063825363 \
         3501053604c0000201330400000e100104ffffff000304c00002010608c0000235c00002360f0b6578616d706c652e63 \
         6f6d7713036c616e076578616d706c6500036c6162c004790d18c63364c000020200c000020134010152040102000700 \
         001a0205dcff",
    ),
    (
        COUCH6,
        546,
        SERVERS6,
        547,
        // dhcpv6 solicit
        "0190b45c0008000200000001000a000300010200000000090003000c0203040500000000000000000006000400170018 \
         002700100105636f756368076578616d706c6500000e0000",
    ),
    (
        ROUTER6,
        547,
        COUCH6,
        547,
        // dhcpv6 relayed
        "0d0020010db800000000000000000000000920010db80000000000000000000000080012000467652d31000900ac0790 \
         b45c0001000a000300010200000000090002000e0001000129b92700020000000001000300280203040500000e100000 \
         15180005001820010db80000000000000000000000090000119400001c2000190029000000010000000000000000001a \
         00190000119400001c203820010db80000000000000000000000000017001020010db800000000000000000000005300 \
         18000d036c616e076578616d706c6500000d0006000066696e65",
    ),
    (
        COUCH,
        123,
        ROUTER,
        123,
        // ntp client
        "230006ea000000000000000000000000000000000000000000000000000000000000000000000000d9fd004440000000",
    ),
    (
        ROUTER,
        123,
        COUCH,
        123,
        // ntp server
        "240206e800000c810000124469edcf1cd9fcfe2000000000d9fd004440000000d9fd004448000000d9fd004449000000",
    ),
    (
        COUCH,
        50004,
        ROUTER,
        123,
        // ntp control
        "160200010000000000000000",
    ),
    (
        COUCH,
        50005,
        OUTSIDE,
        3478,
        // stun request
        "0001002c2112a4426162636465666768696a6b6c80220007636f75636820310000060003613a6200002400046e001eff \
         802a0008000102030405060700250000",
    ),
    (
        OUTSIDE,
        3478,
        COUCH,
        50005,
        // stun response
        "0101002c2112a4426162636465666768696a6b6c002000080001e242e721c045002000140002e2420113a9fa61626364 \
         65666768696a6b6580280004c096d2bc",
    ),
    (
        OUTSIDE,
        3478,
        COUCH,
        50005,
        // stun error
        "011300302112a4426162636465666768696a6b6c0009001000000401556e617574686f72697a65640014000b6578616d \
         706c652e636f6d00001500066162636465660000",
    ),
    (
        COUCH,
        50006,
        ROUTER,
        514,
        // syslog old
        "3c33343e4f63742031312032323a31343a313520636f7563682073753a206661696c656420666f722066616c6b",
    ),
    (
        COUCH,
        50006,
        ROUTER,
        514,
        // syslog new
        "3c3136353e3120323032362d31312d32315432323a31343a31352e3030335a20636f7563682e6578616d706c6520706c \
         617920383731302049443437202d20416e206576656e740a",
    ),
    (
        COUCH,
        50007,
        ROUTER,
        161,
        // snmp get
        "303602010104067075626c6963a029020312d687020100020100301c300c06082b060102010103000500300c06082b06 \
         0102010105000500",
    ),
    (
        ROUTER,
        161,
        COUCH,
        50007,
        // snmp response
        "30819902010104067075626c6963a2818b020312d687020100020100307e300e06082b060102010103004302012c3011 \
         06082b060102010105000405636f7563683013060a2b060102010202010a01410500ffffffff301106092b0601020104 \
         1401014004c0000209300d06082b06010401bf08010201fe301606082b06010201010200060a2b06010401bf0803020a \
         300a06062b06010201638000",
    ),
    (
        ROUTER,
        50008,
        COUCH,
        162,
        // snmp trap
        "303902010004067075626c6963a42c060a2b06010401bf0803020a4004c0000201020106020111430164300f300d0608 \
         2b06010201010300430164",
    ),
    (
        COUCH,
        50007,
        ROUTER,
        161,
        // snmp 3
        "305b02010330100204207b2f720202400004010402010304233021040d80001f8880a9498e5e3a2c3043020200dd0202 \
         1068040466616c6b04000400301f04000400a51902010702010002010a300e300c06082b060102010103000500",
    ),
    (
        COUCH,
        50009,
        ROUTER,
        69,
        // tftp read
        "00016d6170732f706c617a612e62696e006f6374657400626c6b73697a65003800",
    ),
    (
        ROUTER,
        40001,
        COUCH,
        50009,
        // tftp oack
        "0006626c6b73697a65003800",
    ),
    (
        ROUTER,
        40001,
        COUCH,
        50009,
        // tftp data
        "00030001706c617a612c2061",
    ),
    (
        COUCH, 50009, ROUTER, 40001, // tftp ack
        "00040001",
    ),
    (
        ROUTER,
        40001,
        COUCH,
        50009,
        // tftp last
        "000300026d6170",
    ),
    (
        COUCH,
        50011,
        ROUTER,
        69,
        // tftp read
        "00016d6170732f706c617a612e62696e006f6374657400626c6b73697a65003800",
    ),
    (
        ROUTER,
        40002,
        COUCH,
        50011,
        // tftp error
        "000500016e6f2073756368206d617000",
    ),
];

/// What game servers are asked.
const GAMES: &[Said] = &[
    (
        COUCH,
        50020,
        OUTSIDE,
        27015,
        // a2s request
        "ffffffff54536f7572636520456e67696e6520517565727900",
    ),
    (
        OUTSIDE,
        27015,
        COUCH,
        50020,
        // a2s challenge
        "ffffffff410b1c2d3e",
    ),
    (
        COUCH,
        50020,
        OUTSIDE,
        27015,
        // a2s again
        "ffffffff54536f7572636520456e67696e65205175657279000b1c2d3e",
    ),
    (
        OUTSIDE,
        27015,
        COUCH,
        50020,
        // a2s info
        "ffffffff4911486172626f757200646d5f7175617900717561790051756179205761727300f000031001646c0001312e \
         302e302e3700b187690100000000004001646d2c6e6967687400f000000000000000",
    ),
    (
        COUCH,
        50020,
        OUTSIDE,
        27015,
        // a2s players request
        "ffffffff550b1c2d3e",
    ),
    (
        OUTSIDE,
        27015,
        COUCH,
        50020,
        // a2s players
        "ffffffff44020066616c6b000c00000000007642006d6f737300ffffffff00005040",
    ),
    (
        OUTSIDE,
        27015,
        COUCH,
        50020,
        // a2s rules
        "ffffffff4502006d705f667269656e646c796669726500300073765f677261766974790038303000",
    ),
    (
        OUTSIDE,
        27015,
        COUCH,
        50020,
        // a2s part
        "feffffff01000000020072657374",
    ),
    (
        COUCH,
        50021,
        OUTSIDE,
        27960,
        // quake3 getstatus
        "ffffffff676574737461747573",
    ),
    (
        OUTSIDE,
        27960,
        COUCH,
        50021,
        // quake3 status
        "ffffffff737461747573526573706f6e73650a5c73765f686f73746e616d655c486172626f75725c6d61706e616d655c \
         7133646d310a3132203438202266616c6b220a2d312039393920226d6f7373220a",
    ),
    (
        OUTSIDE,
        27950,
        COUCH,
        50021,
        // quake3 servers
        "ffffffff67657473657276657273526573706f6e73655cc00002096d385cc000020a6d395c454f54000000",
    ),
    (
        COUCH,
        50021,
        OUTSIDE,
        27960,
        // quake3 rcon
        "ffffffff72636f6e206d6f73732d677265656e206d6170207133646d32",
    ),
    (
        COUCH,
        50022,
        OUTSIDE,
        7778,
        // gamespy status
        "5c7374617475735c",
    ),
    (
        OUTSIDE,
        7778,
        COUCH,
        50022,
        // gamespy answer
        "5c686f73746e616d655c486172626f75725c6d61706e616d655c717561795c6e756d706c61796572735c325c71756572 \
         7969645c372e315c66696e616c5c",
    ),
    (
        COUCH,
        50023,
        OUTSIDE,
        25565,
        // gamespy challenge
        "fefd0900000007",
    ),
    (
        OUTSIDE,
        25565,
        COUCH,
        50023,
        // gamespy number
        "09000000073935313333303700",
    ),
    (
        COUCH,
        50023,
        OUTSIDE,
        25565,
        // gamespy query
        "fefd00000000070091295b",
    ),
    (
        OUTSIDE,
        25565,
        COUCH,
        50023,
        // gamespy short
        "00000000074120686172626f757200534d500071756179003200323000dd633139322e302e322e3900",
    ),
    (
        OUTSIDE,
        25565,
        COUCH,
        50023,
        // gamespy long
        "000000000773706c69746e756d008000686f73746e616d65004120686172626f7572006e756d706c6179657273003200 \
         0001706c617965725f000066616c6b006d6f73730000",
    ),
    (
        COUCH,
        27036,
        ALL,
        27036,
        // steam discovery
        "ffffffff214c5fa01600000008fcd3f1e3b7bcbfcf76100018afca9baaa080d9e402020000000801",
    ),
    (
        LAMP,
        27036,
        ALL,
        27036,
        // steam status
        "ffffffff214c5fa01600000008fcd3f1e3b7bcbfcf76100118afca9baaa080d9e4025700000008081006189cd3012205 \
         636f756368300238c8feffffffffffffff0140014a0e09010000000100100110dd9ff03058016080a9d3b20570007a11 \
         30323a30303a30303a30303a30303a3039a201093139322e302e322e39",
    ),
    (
        COUCH,
        50024,
        SSDP,
        1900,
        // ssdp search
        "4d2d534541524348202a20485454502f312e310d0a484f53543a203233392e3235352e3235352e3235303a313930300d \
         0a4d414e3a2022737364703a646973636f766572220d0a4d583a20320d0a53543a2075706e703a726f6f746465766963 \
         650d0a0d0a",
    ),
    (
        LAMP,
        1900,
        SSDP,
        1900,
        // ssdp notify
        "4e4f54494659202a20485454502f312e310d0a484f53543a203233392e3235352e3235352e3235303a313930300d0a4e \
         543a2075706e703a726f6f746465766963650d0a4e54533a20737364703a616c6976650d0a55534e3a20757569643a31 \
         3a3a75706e703a726f6f746465766963650d0a4c4f434154494f4e3a20687474703a2f2f3139322e302e322e31302f64 \
         2e786d6c0d0a0d0a",
    ),
    (
        LAMP,
        1900,
        COUCH,
        50024,
        // ssdp found
        "485454502f312e3120323030204f4b0d0a43414348452d434f4e54524f4c3a206d61782d6167653d313830300d0a5354 \
         3a2075706e703a726f6f746465766963650d0a55534e3a20757569643a313a3a75706e703a726f6f746465766963650d \
         0a0d0a",
    ),
    (
        COUCH,
        50030,
        OUTSIDE,
        19132,
        // bedrock ping
        "0100000000000003e800ffff00fefefefefdfdfdfd1234567811c0ffee00000001",
    ),
    (
        OUTSIDE,
        19132,
        COUCH,
        50030,
        // bedrock pong
        "1c00000000000003e85eed00000000000200ffff00fefefefefdfdfdfd12345678005a4d4350453b4d6f737320262053746f6e653b3634393b312e32302e36323b333b32303b363833393139323338343730313230323433343b6f766572776f726c643b537572766976616c3b313b31393133323b31393133333b303b",
    ),
    (
        COUCH,
        50030,
        OUTSIDE,
        19132,
        // raknet request 1
        "0500ffff00fefefefefdfdfdfd123456780b00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
    ),
    (
        OUTSIDE,
        19132,
        COUCH,
        50030,
        // raknet reply 1
        "0600ffff00fefefefefdfdfdfd123456785eed000000000002000578",
    ),
    (
        COUCH,
        50030,
        OUTSIDE,
        19132,
        // raknet request 2
        "0700ffff00fefefefefdfdfdfd123456780439cc9bf84abc057811c0ffee00000001",
    ),
    (
        OUTSIDE,
        19132,
        COUCH,
        50030,
        // raknet reply 2
        "0800ffff00fefefefefdfdfdfd123456785eed000000000002043ffffdf6c36e057800",
    ),
    (
        COUCH,
        50030,
        OUTSIDE,
        19132,
        // raknet connection request
        "84000000600090000000000000000911c0ffee0000000100000000000007d000",
    ),
    (
        OUTSIDE,
        19132,
        COUCH,
        50030,
        // raknet ack
        "c0000101000000",
    ),
    (
        OUTSIDE,
        19132,
        COUCH,
        50030,
        // raknet accepted
        "840000006003000000000000000010043ffffdf6c36e00000400000000000004000000000000040000000000000400000000000004000000000000040000000000000400000000000004000000000000040000000000000400000000000000000000000007d00000000000001b58",
    ),
    (
        COUCH,
        50030,
        OUTSIDE,
        19132,
        // raknet new incoming
        "840100006002f001000001000000130439cc9bf84abc040000000000000400000000000004000000000000040000000000000400000000000004000000000000040000000000000400000000000004000000000000040000000000000000000000001b5800000000000007f8",
    ),
    (
        COUCH,
        50030,
        OUTSIDE,
        19132,
        // bedrock request network settings
        "8402000060004002000002000000fe06c10100000289",
    ),
    (
        OUTSIDE,
        19132,
        COUCH,
        50030,
        // bedrock network settings
        "8401000060007001000001000000fe0c8f0101000000000000000000",
    ),
    (
        COUCH,
        50030,
        OUTSIDE,
        19132,
        // bedrock login
        "840300006007e003000003000000fe00758e4b4ec3300044438f920354214d906057d2c4b11527aa955f8d58d4f9c876dd8004a14d500fc09e1b7010769c0b0716c082c5d348a319e97dccce0c63f6f23e7b330ce3d9acf85674e6d58dd90c8833508944a0201bb1137be872ae4bd58464d86484d7c01749f720285063058ebcc95cce8a6c3a005aa21e8a83d81644b18edcd7e14ef7f08057cb6f3ceb2ba3743de563f2abfbc1176d69cd2b5b756c1f58758994797b7ad59affb9859be25ce5fb7cd09f2726e005947e8fe5b28f2514918752ed656bae2920032de311ca3b81d39d13c9ec18495f3b388b44fa2e4ef130f9a720e8e922e7d4ce57cc266adad3c26d890545bbfea3f609",
    ),
    (
        OUTSIDE,
        19132,
        COUCH,
        50030,
        // bedrock handshake
        "8402000060021002000002000000fe00b363b649adf4ca48724fcef4cff4720badf235f173f6b2d4030a56458657187866e56746e6249ba6e6fa1907841864a605ea251be5e425e5ba19a44478e50000",
    ),
    (
        COUCH,
        50030,
        OUTSIDE,
        19132,
        // bedrock encrypted
        "840400006000c804000004000000fe135ca5ee3780c9125ba4ed367fc8115aa3ec357ec71059a2",
    ),
];

/// A look at the status of a Minecraft server, and a login up to the encryption.
const STATUS: &[(Side, &str)] = &[
    (
        Side::Client, // minecraft handshake
        "1700fb0510706c61792e6578616d706c652e636f6d63dd01",
    ),
    (
        Side::Client, // minecraft request
        "0100",
    ),
    (
        Side::Server, // minecraft status
        "4e004c7b2276657273696f6e223a7b226e616d65223a22312e32302e31222c2270726f746f636f6c223a3736337d2c22 \
         706c6179657273223a7b226d6178223a32302c226f6e6c696e65223a327d7d",
    ),
    (
        Side::Client, // minecraft ping
        "0901000000000000004d",
    ),
    (
        Side::Server, // minecraft ping
        "0901000000000000004d",
    ),
];
const LOGIN: &[(Side, &str)] = &[
    (
        Side::Client, // minecraft login handshake
        "1700fb0510706c61792e6578616d706c652e636f6d63dd02",
    ),
    (
        Side::Client, // minecraft login
        "17000466616c6b01000102030405060708090a0b0c0d0e0f",
    ),
    (
        Side::Server, // minecraft key
        "18010010000102030405060708090a0b0c0d0e0f0400010203",
    ),
    (
        Side::Client, // minecraft secret
        "230110000102030405060708090a0b0c0d0e0f10000102030405060708090a0b0c0d0e0f",
    ),
];

/// Messages that lie directly on IP: who, to whom, IP protocol, bytes.
const ON_IP: &[(IpAddr, IpAddr, u8, &str)] = &[
    (COUCH, v4([224, 0, 0, 22]), 2, "2200 e001 0000 0001 04000001 effffffa 0a000001"),
    (ROUTER, v4([224, 0, 0, 1]), 2, "1164 ec1e 00000000 027d0000"),
    (COUCH6, v6(22), 58, "8f00 e446 0000 0001 04000001 ff020000000000000000000000000002 20010db8000000000000000000000001"),
    (
        ROUTER6,
        v6(9),
        58,
        "8600 ef85 40c8 0708 00000000 00000000 0101020000000001 05010000000005dc \
         030440c0 00278d00 00093a80 00000000 20010db8000000010000000000000000 18022008 00000708 20010db8 00000000 \
         19030000 00000708 20010db8000000000000000000000053 1f030000 00000708 036c616e 076578616d706c65 00000000",
    ),
];

/// What a switch says of itself.
const SWITCH: &str = "0207 04020000000001 0405 0567652d31 0602 0078 0803 757031 0a03 737731 0e04 00140004 \
    100c 0501c0000201 0200000007 00 fe06 0080c2 010064 0000";

pub fn session() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    trace.put(net::ethernet([2, 0, 0, 0, 0, 1], [1, 0x80, 0xc2, 0, 0, 0x0e], EtherType(0x88cc).0, &bytes(SWITCH)));
    for (number, &(from, to, protocol, hex)) in (1..).zip(ON_IP) {
        trace.wait(PAUSE);
        let (from, to) = (host(from), host(to));
        let mut packet = Vec::new();
        PacketBuilder::ip(net::ip(from, to, number)?).write(&mut packet, IpNumber(protocol), &bytes(hex))?;
        trace.put(Link::Ethernet.frame(from, to, &packet));
    }
    datagrams(&mut trace, TALK)?;
    in_stream(&mut trace)?;
    capture::pcap(capture::ETHERNET, &trace.frames())
}

/// What clients of games ask before they play.
pub fn games() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    datagrams(&mut trace, GAMES)?;
    for (port, said) in [(50_030, STATUS), (50_031, LOGIN)] {
        trace.wait(PAUSE);
        let mut stream = stream(port, OUTSIDE, 25_565);
        stream.open(&mut trace)?;
        for (side, hex) in said {
            stream.send(&mut trace, *side, &bytes(hex))?;
        }
        stream.close(&mut trace, Side::Client)?;
    }
    capture::pcap(capture::ETHERNET, &trace.frames())
}

fn datagrams(trace: &mut Trace, said: &[Said]) -> Result {
    for (number, &(from, source, to, destination, hex)) in (100..).zip(said) {
        trace.wait(PAUSE);
        let (from, to) = (host(from).port(source), host(to).port(destination));
        let packet = net::udp(from, to, number, &bytes(hex))?;
        trace.put(Link::Ethernet.frame(from.host, to.host, &packet));
    }
    Ok(())
}

/// A connection from the couch.
fn stream(port: u16, to: IpAddr, service: u16) -> Conversation {
    const STACK: Stack = Stack { first: 0x5fd1_2a90, mss: 1460, window: 64_240, window_scale: 7, clock: Some(91_204) };
    Conversation::new(Link::Ethernet, (host(COUCH).port(port), STACK), (host(to).port(service), STACK))
}

/// The first question and its answer once more, over TCP.
fn in_stream(trace: &mut Trace) -> Result {
    trace.wait(PAUSE);
    let mut stream = stream(50_010, ROUTER, 53);
    stream.open(trace)?;
    for (side, said) in [Side::Client, Side::Server].into_iter().zip(TALK) {
        let message = bytes(said.4);
        let length = u16::try_from(message.len())?;
        stream.send(trace, side, &[&length.to_be_bytes()[..], &message].concat())?;
    }
    stream.close(trace, Side::Client)
}

fn host(ip: IpAddr) -> Host {
    Host::new(ip, 64)
}

/// Bytes of hexadecimal text; spaces are passed over.
fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        hex.chars().filter_map(|digit| digit.to_digit(16)).filter_map(|digit| u8::try_from(digit).ok()).collect();
    digits.chunks_exact(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect()
}
