meta:
  id: fallout4_pipboy
  title: Fallout 4 Pip-Boy companion app protocol (TCP stream, either direction)
  license: CC0-1.0
  endian: le
  encoding: UTF-8
  -proto-dissect:
    transport: tcp
    ports: [27000]
    framing: stream
    message: message
    roots:
      any: fallout4_pipboy
    max-message: 16MiB
    name: channel
    info: '{channel == channel::data_update ? f"{body.as<data_update>.entries.size} entries" : f"{len_body} bytes"}'
doc: |
  A connection is a plain run of messages. Every message carries its own length, so the
  default "repeat: eos over one message type" framing rule is enough on TCP.
seq:
  - id: messages
    type: message
    repeat: eos
types:
  message:
    seq:
      - id: len_body
        type: u4
      - id: channel
        type: u1
        enum: channel
      - id: body
        size: len_body
        type:
          switch-on: channel
          cases:
            'channel::keep_alive': empty
            'channel::connection_accepted': json_text
            'channel::connection_refused': empty
            'channel::data_update': data_update
            'channel::local_map_update': local_map_update
            'channel::command': json_text
            'channel::command_result': json_text
  empty:
    doc: Heartbeat and busy carry no payload.
  json_text:
    seq:
      - id: text
        type: str
        size-eos: true
        -proto-dissect:
          content: json
  data_update:
    seq:
      - id: entries
        type: entry
        repeat: eos
  entry:
    seq:
      - id: value_type
        type: u1
        enum: value_type
      - id: id
        type: u4
      - id: value
        type:
          switch-on: value_type
          cases:
            'value_type::bool': u1
            'value_type::int8': s1
            'value_type::uint8': u1
            'value_type::int32': s4
            'value_type::uint32': u4
            'value_type::float32': f4
            'value_type::string': cstring
            'value_type::array': id_list
            'value_type::object': object_delta
            # An unknown tag has an unknown length: the rest of the update cannot be split.
            _: unknown_value
  cstring:
    seq:
      - id: value
        type: strz
    to-string: value
  unknown_value:
    seq:
      - id: rest
        size-eos: true
  id_list:
    seq:
      - id: num_ids
        type: u2
      - id: ids
        type: u4
        repeat: expr
        repeat-expr: num_ids
  object_delta:
    seq:
      - id: num_added
        type: u2
      - id: added
        type: dict_entry
        repeat: expr
        repeat-expr: num_added
      - id: num_removed
        type: u2
      - id: removed
        type: u4
        repeat: expr
        repeat-expr: num_removed
  dict_entry:
    seq:
      - id: reference
        type: u4
      - id: name
        type: strz
    to-string: name
  local_map_update:
    seq:
      - id: width
        type: u4
      - id: height
        type: u4
      - id: nw
        type: point
      - id: ne
        type: point
      - id: sw
        type: point
      - id: pixels
        size-eos: true
        doc: Rows may be longer than the width.
  point:
    seq:
      - id: x
        type: f4
      - id: y
        type: f4
enums:
  channel:
    0: keep_alive
    1: connection_accepted
    2: connection_refused
    3: data_update
    4: local_map_update
    5: command
    6: command_result
  value_type:
    0: bool
    1: int8
    2: uint8
    3: int32
    4: uint32
    5: float32
    6: string
    7: array
    8: object
