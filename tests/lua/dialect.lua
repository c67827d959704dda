-- What scripts for Lua 5.1 to 5.3 use, and 64-bit numbers, bytes, times and addresses, with tshark's results.
local p = Proto("dialect", "Dialect")
local f = ProtoField.string("dialect.wrong", "Wrong")
p.fields = f
function p.dissector() end
local B = ByteArray.new
local function all(...)
  local t = table.pack(...)
  for i = 1, t.n do t[i] = tostring(t[i]) end
  return table.concat(t, ",")
end
local function fails(what) local _, e = pcall(what) return (tostring(e):gsub("^[^ ]+:%d+: ", "")) end
local cases = {
  {all(bit.band(0xff, 0x0f), bit.bnot(0), bit.lshift(1, 31), bit.rshift(-1, 28), bit.arshift(-8, 1)), "15,-1,-2147483648,15,-4"},
  {all(bit.tohex(255), bit.tohex(255, 4), bit.bswap(0x01020304), bit.bxor(6, 3), bit.bor(1, 2, 4)), "000000ff,00ff,67305985,5,7"},
  {all(bit32.band(0xff, 0x0f), bit32.bnot(0), bit32.lshift(1, 31), bit32.extract(0xabcd, 4, 8)), "15,4294967295,2147483648,188"},
  {all(bit32.rshift(8, 3), bit32.arshift(-8, 1), bit32.lrotate(1, 33), bit32.replace(0, 15, 4, 4)), "1,4294967292,2,240"},
  {all(unpack({1, 2, 3})), "1,2,3"},
  {all(table.getn({1, 2}), table.maxn({1, 2, [9] = 1}), math.pow(2, 10), loadstring("return 7")()), "2,9,1024.0,7"},
  {all(math.frexp(8)), "0.5,4"},
  {_VERSION, "Lua 5.4"},
  {all(Int64(5) + 3, Int64(-5) / 2, Int64(-5) % 3, Int64(2) ^ 10, UInt64.new(1, 2)), "8,-2,-2,1024,8589934593"},
  {all(UInt64.max(), Int64.min(), UInt64(-1), Int64("12x")), "18446744073709551615,-9223372036854775808,18446744073709551615,12"},
  {all(UInt64(255):tohex(4), UInt64(255):tohex(-4), UInt64(12):band(10), Int64(-16):arshift(2), UInt64(1):ror(1)), "00ff,00FF,8,-4,9223372036854775808"},
  {all(UInt64(5) == UInt64(5), UInt64(5) < UInt64(6), UInt64(5) < 6, "n" .. UInt64(5), -Int64(5), -UInt64(5)), "true,true,true,n5,-5,5"},
  {all(UInt64(5):tonumber(), Int64.decode("\5\0\0\0\0\0\0\0"), Int64.decode("\5")), "5,5,nil"},
  {fails(function() return Int64(1) / 0 end), "Trying to divide Int64 by zero"},
  {fails(function() return UInt64(1) % 0 end), "Trying to modulo UInt64 by zero"},
  {all(B("00 B1 a2"), B("0"):len(), B("abc", true):tohex(), B("01") .. B("02"), B("0102") == B("0102")), "00B1A2,0,616263,0102,true"},
  {all(B("01020304"):subset(1, 2), B("0102"):get_index(1), B("616263"):raw(1, 1), B("0aFF"), B("59577832"):base64_decode()), "0203,2,b,0AFF,616C76"},
  {fails(function() return B("0102"):subset(1, 2) end), "Out Of Bounds"},
  {fails(function() return B("0102"):get_index(2) end), "bad argument #1 to 'get_index' (index out of range)"},
  {fails(function() return B("0102"):set_index(0, 256) end), "bad argument #2 to 'set_index' (Byte out of range)"},
  {all(NSTime(1, 500000000), NSTime(1.5), NSTime(3, 1) - NSTime(1, 2), NSTime(1) + NSTime(2, 999999999) + NSTime(0, 1)), "1.500000000,1.000000000,1.999999999,4.000000000"},
  {all(-NSTime(1, 5), NSTime(1) == NSTime(1), NSTime(1) < NSTime(2), NSTime(1, 5):tonumber()), "-1.000000005,true,true,1.000000005"},
  {all(Address.ip("10.1.2.3"), Address.ipv6("fe80::1"), Address.ether("02:00:00:00:00:01"), Address.ip("nonsense")), "10.1.2.3,fe80::1,02:00:00:00:00:01,0.0.0.0"},
  {all(format_date(1700000000.5), format_time(3661.5)), "Nov 14, 2023 22:13:20.500000000 UTC,1 hour, 1 minute, 1.500000000 seconds"},
  {os.date("%Y-%m-%d %H:%M:%S", 1700000000), "2023-11-14 22:13:20"},
  {all(os.time({year = 2023, month = 11, day = 14, hour = 22, min = 13, sec = 20})), "1700000000"},
  {all(base.HEX, base.UNIT_STRING, ftypes.UINT8, DESEGMENT_ONE_MORE_SEGMENT, expert.group.MALFORMED, PI_WARN), "2,4096,4,268435455,117440512,6291456"},
  {all(p.name, p.description, p, typeof(p), gui_enabled(), get_version()), "DIALECT,Dialect,Proto: DIALECT,Proto,false,4.4.0"},
  {fails(function() ProtoField.uint8("bad name") end), "bad argument #1 to 'uint8' (Invalid char in abbrev)"},
  {fails(function() ProtoField.uint8("a.x", "X", base.HEX, {a = "b"}) end), "bad argument #4 to 'uint8' (All keys of a table used as value_string must be integers)"},
  {fails(function() ProtoField.int8("a.x", "X", base.HEX) end), "bad argument #3 to 'int8' (Base must be either base.DEC or base.UNIT_STRING)"},
  {fails(function() ProtoField.bool("a.x", "X", 8) end), "bad argument #3 to 'bool' (Fieldbase (fielddisplay) must be base.NONE if bitmask is zero.)"},
  {fails(function() ProtoField.string("ip.src") end), "bad argument #1 to 'string' (A field of an incompatible ftype with this abbrev already exists)"},
  {fails(function() Proto("dialect", "Again") end), "bad argument #1 to 'Proto' (Proto_new: there cannot be two protocols with the same name)"},
  {fails(function() Proto("Bad Name", "x") end), "bad argument #1 to 'Proto' (Proto_new: invalid character in name)"},
  {fails(function() DissectorTable.get("udp.port"):add("5-x", p) end), "bad argument #1 to 'add' (DissectorTable_add: invalid integer or range)"},
  {fails(function() return p.nothing end), "No such 'nothing' method/field for object type 'Proto'"},
}
function p.dissector(tvb, pinfo, tree)
  local t, wrong = tree:add(p, tvb()), {}
  cases[#cases + 1] = {all(pinfo.number, pinfo.len, pinfo.abs_ts, pinfo.src, pinfo.src_port, pinfo.port_type, pinfo.match, pinfo.curr_proto), "1,29,1700000000.0,10.0.0.1,40000,3,9998,DIALECT"}
  cases[#cases + 1] = {all(pinfo.visited, pinfo.can_desegment, pinfo.p2p_dir, pinfo.cols, pinfo), "false,0,-1,Columns,a Pinfo"}
  pinfo.private.a, pinfo.private.n, pinfo.private.t = "b", 3, true
  cases[#cases + 1] = {all(pinfo.private.a, pinfo.private.n, pinfo.private.t, pinfo.private.x), "b,3,,nil"}
  for i, case in ipairs(cases) do
    if case[1] ~= case[2] then wrong[#wrong + 1] = i .. ": " .. case[1] .. " for " .. case[2] end
  end
  t:add(f, #wrong == 0 and "none" or table.concat(wrong, " / "))
end
DissectorTable.get("udp.port"):add(9998, p)
