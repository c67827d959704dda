meta:
  id: wireguard
  title: WireGuard, handshakes and encrypted packets of tunnels
  license: CC0-1.0
  endian: le
  -proto-dissect:
    transport: udp
    ports: [51820]
    name: kind
doc-ref: https://www.wireguard.com/protocol/
seq:
  - id: kind
    type: u1
    enum: kind
    valid: {in-enum: true}
  - id: reserved
    contents: [0, 0, 0]
  - id: body
    type:
      switch-on: kind
      cases:
        'kind::handshake_initiation': initiation
        'kind::handshake_response': response
        'kind::cookie_reply': cookie
        'kind::transport_data': data
types:
  initiation:
    seq:
      - {id: sender, type: u4}
      - {id: ephemeral, size: 32}
      - {id: encrypted_static, size: 48}
      - {id: encrypted_timestamp, size: 28}
      - {id: mac1, size: 16}
      - {id: mac2, size: 16}
  response:
    seq:
      - {id: sender, type: u4}
      - {id: receiver, type: u4}
      - {id: ephemeral, size: 32}
      - {id: encrypted_nothing, size: 16}
      - {id: mac1, size: 16}
      - {id: mac2, size: 16}
  cookie:
    seq:
      - {id: receiver, type: u4}
      - {id: nonce, size: 24}
      - {id: encrypted_cookie, size: 32}
  data:
    seq:
      - {id: receiver, type: u4}
      - {id: counter, type: u8}
      - {id: encrypted_packet, size-eos: true}
enums:
  kind:
    1: handshake_initiation
    2: handshake_response
    3: cookie_reply
    4: transport_data
