meta:
  id: steam_discovery
  title: Steam In-Home Streaming discovery
  license: CC0-1.0
  endian: le
  encoding: UTF-8
  -proto-dissect:
    transport: udp
    ports: [27036]
    magic: [0xff, 0xff, 0xff, 0xff, 0x21, 0x4c, 0x5f, 0xa0]
    name: kind
doc: |
  Two Protocol Buffers messages behind a signature. Their fields are shown by number, as they come.
doc-ref: https://codingrange.com/blog/steam-in-home-streaming-discovery-protocol
seq:
  - id: signature
    contents: [0xff, 0xff, 0xff, 0xff, 0x21, 0x4c, 0x5f, 0xa0]
  - {id: len_header, type: u4}
  - {id: header, type: fields, size: len_header}
  - {id: len_body, type: u4}
  - {id: body, type: fields, size: len_body}
instances:
  kind:
    value: header.fields[1].value.as<varint>.value
    enum: kind
    doc: The second field of the header.
types:
  fields:
    seq:
      - {id: fields, type: field, repeat: eos}
  field:
    seq:
      - id: key
        type: varint
      - id: value
        type:
          switch-on: key.value & 7
          cases:
            0: varint
            1: fixed64
            2: bytes
            5: fixed32
    instances:
      number:
        value: key.value >> 3
  varint:
    doc: Seven bits a byte, the lowest first.
    seq:
      - id: groups
        type: u1
        repeat: until
        repeat-until: _ < 128
        valid: {expr: _index < 10}
    instances:
      value:
        value: >-
          (groups[0] & 127)
          + (groups.size > 1 ? (groups[1] & 127) << 7 : 0)
          + (groups.size > 2 ? (groups[2] & 127) << 14 : 0)
          + (groups.size > 3 ? (groups[3] & 127) << 21 : 0)
          + (groups.size > 4 ? (groups[4] & 127) << 28 : 0)
          + (groups.size > 5 ? (groups[5] & 127) << 35 : 0)
          + (groups.size > 6 ? (groups[6] & 127) << 42 : 0)
          + (groups.size > 7 ? (groups[7] & 127) << 49 : 0)
          + (groups.size > 8 ? (groups[8] & 127) << 56 : 0)
    to-string: value.to_s
  fixed64:
    seq:
      - {id: value, type: u8}
  fixed32:
    seq:
      - {id: value, type: u4}
  bytes:
    seq:
      - {id: len_value, type: varint}
      - {id: value, size: len_value.value}
enums:
  kind:
    0: discovery
    1: status
    2: offline
    3: device_authorization_request
    4: device_authorization_response
    5: device_streaming_request
    6: device_streaming_response
    7: device_proof_request
    8: device_proof_response
    9: device_authorization_cancel_request
    10: device_streaming_cancel_request
