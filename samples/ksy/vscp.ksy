meta:
  id: vscp
  title: VSCP, the shared-world bureau protocol (TCP stream)
  license: CC0-1.0
  endian: be
  encoding: UTF-8
  -proto-dissect:
    transport: tcp
    framing: stream
    message: packet
    roots:
      client: client_stream
      server: server_stream
      any: vscp
doc: |
  Each direction opens with its own hello and then carries packets. The top-level type is the
  packet run alone, for captures that start after the hello and for hex input.
seq:
  - id: packets
    type: packet
    repeat: eos
types:
  client_stream:
    seq:
      - id: hello
        type: client_hello
      - id: packets
        type: packet
        repeat: eos
  server_stream:
    seq:
      - id: hello
        type: server_hello
      - id: packets
        type: packet
        repeat: eos
  client_hello:
    seq:
      - id: magic
        contents: hello
      - id: version_major
        type: u1
      - id: version_minor
        type: u1
  server_hello:
    seq:
      - id: magic
        contents: hello
      - id: pad
        type: u1
        doc: Part of the status word, which is six bytes long; unused where the client is accepted.
      - id: unknown
        type: s4
      - id: connection_id
        type: s4
  packet:
    seq:
      - id: section_type
        type: u1
        enum: section
        valid:
          in-enum: true
      - id: body
        type:
          switch-on: section_type
          cases:
            'section::general': general_message
            'section::sys1': sys1_message
            'section::position': position_update
  general_message:
    seq:
      - id: id1
        type: s4
      - id: id2
        type: s4
      - id: opcode
        type: u4
        enum: opcode
      - id: len_content
        type: u4
      - id: content
        size: len_content
        type:
          switch-on: opcode
          cases:
            'opcode::c_new_user': c_new_user
            'opcode::s_client_id': s_client_id
            'opcode::s_user_joined': s_user_joined
            'opcode::s_user_left': s_user_left
            'opcode::s_broadcast_id': s_broadcast_id
            'opcode::common': common
            'opcode::c_state_change': c_state_change
            'opcode::s_unnamed1': s_unnamed1
            'opcode::s_user_count': s_user_count
  sys1_message:
    doc: |
      Not understood. The only server that handles it drops 14 bytes behind the section byte.
    seq:
      - id: data
        size: 14
  position_update:
    seq:
      - id: connection_id
        type: s4
      - id: client_id
        type: s4
      - id: broadcast_id
        type: s4
      - id: position
        type: vector3
      - id: unknown
        type: u2
  c_new_user:
    seq:
      - id: username
        type: strz
      - id: avatar
        type: strz
  s_client_id:
    seq:
      - id: client_id
        type: s4
  s_user_joined:
    seq:
      - id: broadcast_id
        type: s4
      - id: unknown
        type: s4
      - id: avatar
        type: strz
      - id: username
        type: strz
  s_user_left:
    seq:
      - id: broadcast_id
        type: s4
  s_broadcast_id:
    seq:
      - id: broadcast_id
        type: s4
  common:
    seq:
      - id: broadcast_id
        type: s4
      - id: msg_type
        type: u4
        enum: msg_type
      - id: strategy
        type: u1
        enum: strategy
      - id: content
        size-eos: true
        type:
          switch-on: msg_type
          cases:
            'msg_type::transform_update': transform_update
            'msg_type::chat_send': text
            'msg_type::name_change': text
            'msg_type::avatar_change': text
            'msg_type::appl_specific': appl_specific
  c_state_change:
    seq:
      - id: state
        type: u1
        enum: client_state
  s_unnamed1:
    seq:
      - id: unknown
        type: u1
  s_user_count:
    seq:
      - id: unknown
        type: u1
      - id: count
        type: s4
  transform_update:
    seq:
      - id: matrix
        type: fixed_point
        repeat: expr
        repeat-expr: 9
      - id: position
        type: vector3
  text:
    seq:
      - id: value
        type: strz
    to-string: value
  appl_specific:
    seq:
      - id: unknown
        type: u1
      - id: method
        type: strz
      - id: str_arg
        type: strz
      - id: int_arg
        type: s4
  vector3:
    seq:
      - id: x
        type: fixed_point
      - id: y
        type: fixed_point
      - id: z
        type: fixed_point
  fixed_point:
    doc: A signed integer that holds a real number times 65535.
    seq:
      - id: raw
        type: s4
    instances:
      value:
        value: raw / 65535.0
enums:
  section:
    0: general
    1: sys1
    2: position
  opcode:
    0: c_new_user
    1: s_client_id
    2: s_user_joined
    3: s_user_left
    4: s_broadcast_id
    6: common
    7: c_state_change
    8: s_unnamed1
    11: s_user_count
  msg_type:
    2: transform_update
    9: chat_send
    12: character_update
    13: name_change
    14: avatar_change
    15: private_chat
    16: vc_register
    18: voice_state
    10000: appl_specific
  strategy:
    0: aura_including_sender
    1: aura_excluding_sender
    2: responder_only
    3: all_including_sender
    4: all_excluding_sender
    5: unused5
    6: unused6
  client_state:
    0: not_connected
    1: connecting
    2: connected
    3: disconnected
    4: active
    5: sleep
