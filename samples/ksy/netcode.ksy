meta:
  id: netcode
  title: netcode, connections of games over UDP (yojimbo)
  license: CC0-1.0
  endian: le
  encoding: ASCII
  -proto-dissect:
    transport: udp
    ports: [40000]
    magic: [0, 'NETCODE 1.0']
    name: kind
    secret: [body.encrypted_token]
doc: |
  A client asks with a token that it got from a service of the game. All other packets are encrypted.
  Their sequence number has as many bytes as the upper half of the first byte states.
doc-ref: https://github.com/mas-bandwidth/netcode/blob/main/STANDARD.md
seq:
  - id: len_sequence
    type: b4
    valid: {max: 8}
  - id: kind
    type: b4
    enum: kind
    valid: {in-enum: true}
  - id: body
    type:
      switch-on: kind
      cases:
        'kind::connection_request': request
        _: encrypted
types:
  request:
    seq:
      - id: version
        type: str
        size: 13
        terminator: 0
      - id: protocol
        type: u8
        doc: The number of the game.
      - id: expires
        type: u8
        doc: Seconds since 1970.
      - id: nonce
        size: 24
      - id: encrypted_token
        size: 1024
  encrypted:
    seq:
      - id: sequence
        size: _root.len_sequence
      - id: payload
        size-eos: true
enums:
  kind:
    0: connection_request
    1: connection_denied
    2: challenge
    3: response
    4: keep_alive
    5: payload
    6: disconnect
