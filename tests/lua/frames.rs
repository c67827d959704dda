//! Captures for these tests: IPv4 without a link layer.

/// A part of a stream.
pub struct Segment<'a> {
    /// Its offset in the stream.
    pub at: usize,
    pub bytes: &'a [u8],
}

/// A capture of these packets, one a second.
pub fn pcap(packets: &[Vec<u8>]) -> Vec<u8> {
    const RAW_IPV4: u32 = 228;
    let mut file = Vec::new();
    for word in [0xa1b2_c3d4, 4 << 16 | 2, 0, 0, 65_535, RAW_IPV4] {
        file.extend(u32::to_le_bytes(word));
    }
    for (second, packet) in (1_700_000_000_u32..).zip(packets) {
        let len = packet.len() as u32;
        for word in [second, 0, len, len] {
            file.extend(u32::to_le_bytes(word));
        }
        file.extend(packet);
    }
    file
}

fn ipv4(protocol: u8, is_back: bool, payload: &[u8]) -> Vec<u8> {
    let len = (20 + payload.len()) as u16;
    let [high, low] = len.to_be_bytes();
    let (src, dst) = if is_back { (2, 1) } else { (1, 2) };
    let mut packet = vec![0x45, 0, high, low, 0, 0, 0, 0, 64, protocol, 0, 0, 10, 0, 0, src, 10, 0, 0, dst];
    packet.extend(payload);
    packet
}

/// Datagrams from port 40000 to this one.
pub fn datagrams(port: u16, payloads: &[&[u8]]) -> Vec<u8> {
    let datagram = |payload: &&[u8]| {
        let mut udp = Vec::new();
        for number in [40_000, port, (8 + payload.len()) as u16, 0] {
            udp.extend(number.to_be_bytes());
        }
        udp.extend(*payload);
        ipv4(17, false, &udp)
    };
    pcap(&payloads.iter().map(datagram).collect::<Vec<_>>())
}

/// A connection from port 40000 to 9999: three frames of a handshake, then these segments of the client.
pub fn stream(segments: &[Segment<'_>]) -> Vec<u8> {
    const SYN: u8 = 2;
    const ACK: u8 = 16;
    let tcp = |is_back: bool, seq: u32, ack: u32, flags: u8, payload: &[u8]| {
        let mut tcp = Vec::new();
        let ports: [u16; 2] = if is_back { [9999, 40_000] } else { [40_000, 9999] };
        ports.iter().for_each(|port| tcp.extend(port.to_be_bytes()));
        tcp.extend(seq.to_be_bytes());
        tcp.extend(ack.to_be_bytes());
        tcp.extend([5 << 4, flags, 0xff, 0xff, 0, 0, 0, 0]);
        tcp.extend(payload);
        ipv4(6, is_back, &tcp)
    };
    let mut packets =
        vec![tcp(false, 1000, 0, SYN, b""), tcp(true, 5000, 1001, SYN | ACK, b""), tcp(false, 1001, 5001, ACK, b"")];
    packets.extend(segments.iter().map(|segment| tcp(false, 1001 + segment.at as u32, 5001, ACK | 8, segment.bytes)));
    pcap(&packets)
}
