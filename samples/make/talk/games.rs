//! Queries of game clients before they connect.

use super::{ALL, COUCH, Datagram, LAMP, OUTSIDE, PAUSE, SSDP, bytes, datagrams, stream};
use crate::Result;
use crate::capture::{self, Trace};
use crate::tcp::Side;

/// Queries to game servers.
const GAMES: &[Datagram] = &[
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

/// A status query of a Minecraft server, and a login up to the encryption.
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

/// Queries of game clients before they connect.
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
