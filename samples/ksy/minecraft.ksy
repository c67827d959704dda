meta:
  id: minecraft
  title: Minecraft Java Edition with an account, protocol 767 (1.21)
  license: CC0-1.0
  endian: be
  encoding: UTF-8
  -proto-dissect:
    transport: tcp
    ports: [25565]
    max-message: 2MiB
    name: frames.kind
    session:
      state: 0         # 0 handshake, 1 status, 2 login, 3 configuration, 4 play
      threshold: -1    # packets of this size are compressed; negative: packets have no such header
      secret: key      # the shared secret, 16 bytes: key and first block of AES
doc: |
  A packet has a number that depends on the state and the direction. The login encrypts both directions as a whole and
  then adds a header for compression to each packet. The client makes the secret and sends it encrypted with RSA.
params:
  - {id: pd_dir, type: u1}
  - {id: state, type: u1}
  - {id: threshold, type: s4}
  - {id: secret, type: bytes}
seq:
  - {id: frames, type: frame, repeat: eos}
types:
  frame:
    seq:
      - id: len_body
        type: varint
        valid: {expr: _.value > 0 and _.value < 0x200000}
      - {id: body, type: body, size: len_body.value}
    instances:
      kind: {value: 'body.is_packed ? body.packed.kind.to_i : body.plain.kind.to_i', enum: kinds}
  body:
    seq:
      - id: len_unpacked
        type: varint
        if: _root.threshold >= 0
        doc: Size before compression, or 0 for a packet below the threshold.
      - {id: packed, type: packet, size-eos: true, process: zlib, if: is_packed}
      - {id: plain, type: packet, size-eos: true, if: not is_packed}
    instances:
      is_packed: {value: '_root.threshold >= 0 and len_unpacked.value > 0'}
  packet:
    seq:
      - {id: number, type: varint, valid: {expr: _.value < 0x100}}
      - id: data
        size-eos: true
        type:
          switch-on: kind
          cases:
            'kinds::handshake': handshake
            'kinds::login_start': login_start
            'kinds::encryption_request': encryption_request
            'kinds::encryption_response': encryption_response
            'kinds::set_compression': set_compression
            'kinds::login_success': login_success
            'kinds::login_acknowledged': login_acknowledged
            'kinds::finish_acknowledged': finish_acknowledged
            'kinds::keep_alive': keep_alive
            'kinds::keep_alive_response': keep_alive
            'kinds::set_position': set_position
            'kinds::system_chat': system_chat
    instances:
      kind:
        value: _root.state * 0x200 + _root.pd_dir * 0x100 + number.value
        enum: kinds
        doc: State, direction and number in one.
  handshake:
    seq:
      - {id: version, type: varint}
      - {id: host, type: text}
      - {id: port, type: u2}
      - {id: next_state, type: varint, -proto-dissect: {set: {state: next_state.value}}}
  login_start:
    seq:
      - {id: user, type: text}
      - {id: uuid, size: 16}
  encryption_request:
    seq:
      - {id: server, type: text}
      - {id: public_key, type: blob}
      - {id: token, type: blob}
      - {id: is_authenticated, type: u1}
  encryption_response:
    doc: Both directions are encrypted behind this packet.
    seq:
      - {id: secret, type: blob}
      - id: token
        type: blob
        -proto-dissect: {stream: {both: 'aes_cfb8(_root.secret, _root.secret)'}}
  set_compression:
    seq:
      - {id: threshold, type: varint, -proto-dissect: {set: {threshold: threshold.value}}}
  login_success:
    seq:
      - {id: uuid, size: 16}
      - {id: user, type: text}
      - {id: num_properties, type: varint}
      - {id: is_strict, type: u1}
  login_acknowledged: {-proto-dissect: {set: {state: 3}}}
  finish_acknowledged: {-proto-dissect: {set: {state: 4}}}
  keep_alive: {seq: [{id: id, type: s8}]}
  set_position: {seq: [{id: x, type: f8}, {id: y, type: f8}, {id: z, type: f8}, {id: on_ground, type: u1}]}
  system_chat:
    seq:
      - {id: tag, contents: [8], doc: A text of NBT.}
      - {id: len_text, type: u2}
      - {id: text, type: str, size: len_text}
      - {id: is_overlay, type: u1}
  text: {seq: [{id: len_value, type: varint}, {id: value, type: str, size: len_value.value}]}
  blob: {seq: [{id: len_value, type: varint}, {id: value, size: len_value.value}]}
  varint:
    doc: Seven bits a byte, the lowest first; here at most four bytes.
    seq:
      - {id: b, type: u1, repeat: until, repeat-until: _ < 128}
    instances:
      value:
        value: >-
          (b[0] & 127) | (b.size > 1 ? (b[1] & 127) << 7 : 0) | (b.size > 2 ? (b[2] & 127) << 14 : 0)
          | (b.size > 3 ? (b[3] & 127) << 21 : 0)
enums:
  kinds:
    0x000: handshake
    0x400: login_start
    0x401: encryption_response
    0x403: login_acknowledged
    0x501: encryption_request
    0x502: login_success
    0x503: set_compression
    0x603: finish_acknowledged
    0x703: finish_configuration
    0x818: keep_alive_response
    0x81a: set_position
    0x926: keep_alive
    0x96c: system_chat
