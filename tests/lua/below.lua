-- Values of layers below, derived buffers, packed strings, and what is only remarked.
local number, src, port, own = Field.new("frame.number"), Field.new("ip.src"), Field.new("udp.srcport"), Field.new("below.kind")
local p = Proto("below", "Below")
local f = {kind = ProtoField.uint8("below.kind", "Kind"), text = ProtoField.string("below.text", "Text")}
p.fields = f
p:register_heuristic("udp", function() return false end)
function p.dissector(tvb, pinfo, tree)
  local t = tree:add(p, tvb())
  local function show(...)
    local all = {}
    for _, info in ipairs {...} do all[#all + 1] = info.name .. "=" .. tostring(info.value) .. "@" .. info.offset .. "+" .. info.len end
    t:add(f.text, #all > 0 and table.concat(all, " ") or "none")
  end
  show(own())
  t:add(f.kind, tvb(0, 1))
  show(own()) show(number()) show(src()) show(port())
  local bytes = tvb(1, 5):bytes()
  for i = 0, bytes:len() - 1 do bytes:set_index(i, bit.bxor(bytes:get_index(i), 0x20)) end
  local plain = bytes:tvb("Plain")
  t:add(f.text, plain(0, 4))
  t:add(f.kind, plain(4, 1))
  local unpacked = tvb(6):uncompress("Unpacked")
  t:add(f.text, unpacked and unpacked(0, 5) or "nothing")
  t:add(f.text, Struct.pack(">I2i4s", 258, -2, "ab"):byte(1, -1) .. " " .. table.concat({Struct.unpack("<HBc0", "\2\1\3abcd")}, ","))
  t:add(f.text, table.concat({Struct.size(">I2I4"), Struct.values(">I2(I4)B"), Struct.tohex("ab"), Struct.fromhex("6162")}, ","))
end
DissectorTable.get("udp.port"):add(9998, p)
