meta:
  id: vcmp_librpc
  title: VC:MP LibRPC server-data payload
  license: CC0-1.0
  endian: be
  encoding: UTF-8
  -proto-dissect:
    transport: payload
    over: vcmp
    framing: datagram
    magic: [[0x00, 0x00, 0x00, 0x40], [0x01, 0x00, 0x00, 0x40]]
    name: call.kind
    info: '{call.kind == function_kind::named ? call.body.as<named_function>.name : "a call of what a call returns"}'
doc: |
  The inner part of one VC:MP server-data message. Lengths are big-endian; the identifier and
  the integer and float values are little-endian, as the sender copies them from memory.
seq:
  - id: identifier
    type: u4le
    doc: The first value up to version 1.7 beta 2, the second one since beta 3.
    valid:
      any-of: [0x40000000, 0x40000001]
  - id: call
    type: function
types:
  function:
    seq:
      - id: kind
        type: u1
        enum: function_kind
        valid:
          in-enum: true
      - id: len_body
        type: u4
      - id: body
        size: len_body
        type:
          switch-on: kind
          cases:
            'function_kind::named': named_function
            'function_kind::nested': nested_function
  named_function:
    seq:
      - id: len_name
        type: u2
      - id: name
        type: str
        size: len_name
      - id: arguments
        type: value
        repeat: eos
    to-string: name
  nested_function:
    doc: The inner function runs first; this call is then made on what it returned.
    seq:
      - id: inner
        type: function
      - id: arguments
        type: value
        repeat: eos
  value:
    seq:
      - id: tag
        type: u1
        enum: value_tag
        valid:
          in-enum: true
      - id: data
        type:
          switch-on: tag
          cases:
            'value_tag::string': string
            'value_tag::integer': s4le
            'value_tag::float': f4le
            'value_tag::bool': u1
            'value_tag::vector': vector
            'value_tag::quaternion': quaternion
            'value_tag::array': array
  string:
    seq:
      - id: len_text
        type: u2
      - id: text
        type: str
        size: len_text
    to-string: text
  vector:
    seq:
      - id: x
        type: f4le
      - id: y
        type: f4le
      - id: z
        type: f4le
  quaternion:
    seq:
      - id: x
        type: f4le
      - id: y
        type: f4le
      - id: z
        type: f4le
      - id: w
        type: f4le
  array:
    seq:
      - id: len_items
        type: u4
      - id: items
        size: len_items
        type: value_list
  value_list:
    seq:
      - id: values
        type: value
        repeat: eos
enums:
  function_kind:
    0x46: named
    0x47: nested
  value_tag:
    0x61: array
    0x62: bool
    0x66: float
    0x69: integer
    0x6f: 'null'
    0x71: quaternion
    0x73: string
    0x76: vector
