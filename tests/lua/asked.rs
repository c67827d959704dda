//! Which dissector gets which bytes: heuristics, postdissectors, bound conversations, rejection.

use super::frames::datagrams;
use super::{MESSAGES, cells, cut, dissect, script};
use crate::common::Scratch;

/// A script of two heuristics that accept their own first byte, and write down each call.
const HEURISTICS: &str = "local log = Proto('log', 'Log')
    local asked = ProtoField.string('log.asked', 'Asked')
    log.fields = {asked}
    local calls = ''
    for _, letter in ipairs {'A', 'B'} do
      local p = Proto('own' .. letter:lower(), 'Own ' .. letter)
      local f = ProtoField.string('own' .. letter:lower() .. '.text', 'Text')
      p.fields = {f}
      p:register_heuristic('udp', function(tvb, pinfo, tree)
        calls = calls .. letter
        if not tvb:raw():find(letter, 1, true) then return false end
        tree:add(p, tvb()):add(f, tvb())
        if tvb:raw():find('!', 1, true) then pinfo.conversation = p end
        return true
      end)
      function p.dissector(tvb, pinfo, tree)
        calls = calls .. letter:lower()
        if tvb:raw() == 'no' then return 0 end
        tree:add(p, tvb()):add(f, tvb())
      end
    end
    function log.dissector(tvb, pinfo, tree)
      tree:add(log, tvb()):add(asked, calls)
      calls = ''
    end
    register_postdissector(log)";

#[test]
fn heuristics_are_asked_last_registered_first_and_a_match_moves_to_the_front() {
    let own = Scratch::new("heuristics.lua", HEURISTICS.as_bytes());
    let payloads: [&[u8]; 8] = [b"A", b"A", b"B", b"AB", b"none", b"A", b"B!", b"any"];
    let rows = cells(own.path(), &datagrams(7001, &payloads), &[], &["owna.text", "ownb.text", "log.asked"]);
    let expected =
        ["1\tA\t\tBA", "2\tA\t\tA", "3\t\tB\tAB", "4\t\tAB\tB", "5\t\t\tBA", "6\tA\t\tBA", "7\t\tB!\tAB", "8\t\tany\tb"];
    assert_eq!(rows, expected);
}

#[test]
fn a_bound_conversation_goes_to_its_dissector_until_it_rejects() {
    let own = Scratch::new("bound.lua", HEURISTICS.as_bytes());
    let rows = cells(own.path(), &datagrams(7001, &[b"A!", b"x", b"no", b"y"]), &[], &["owna.text", "log.asked"]);
    assert_eq!(rows, ["1\tA!\tBA", "2\tx\ta", "3\t\taAB", "4\ty\ta"]);
}

#[test]
fn without_heuristics_only_ports_are_asked() {
    let own = Scratch::new("without.lua", HEURISTICS.as_bytes());
    let rows = cells(own.path(), &datagrams(7001, &[b"A"]), &["--no-heuristics"], &["owna.text", "log.asked"]);
    assert!(rows.is_empty(), "{rows:?}");
}

#[test]
fn a_postdissector_reads_each_whole_frame_behind_its_layers() {
    let text = "local p = Proto('post', 'Post')
        local f = ProtoField.string('post.seen', 'Seen')
        p.fields = {f}
        local port, own = Field.new('udp.srcport'), Field.new('tcp.stream')
        function p.dissector(tvb, pinfo, tree)
          local t = tree:add(p, tvb())
          t:add(f, tvb:len() .. ' ' .. tostring(port() or own() or 'neither'))
        end
        register_postdissector(p)";
    let post = Scratch::new("post.lua", text.as_bytes());
    assert_eq!(cells(post.path(), &datagrams(7001, &[b"abc"]), &[], &["post.seen"]), ["1\t31 40000"]);
    let rows = cells(post.path(), &cut(&[(0, 8)]), &[], &["post.seen"]);
    // Also frames without any payload.
    assert_eq!(rows, ["1\t40 0", "2\t40 0", "3\t40 0", "4\t48 0"]);
    let json = dissect(post.path(), &datagrams(7001, &[b"abc"]), &["--json"]);
    assert!(json.code == 0 && json.out.contains("\"31 40000\""), "{} {}", json.out, json.err);
}

#[test]
fn what_a_dissector_rejects_is_offered_to_others_and_keeps_its_items() {
    let text = "local p = Proto('picky', 'Picky')
        local f = ProtoField.uint8('picky.first', 'First')
        p.fields = {f}
        function p.dissector(tvb, pinfo, tree)
          tree:add(p, tvb()):add(f, tvb(0, 1))
          if tvb(0, 1):uint() ~= 1 then return 0 end
        end
        DissectorTable.get('udp.port'):add(53, p)";
    let picky = Scratch::new("picky.lua", text.as_bytes());
    // A query of DNS for the name a.
    let query = b"\0\x02\x01\0\0\x01\0\0\0\0\0\0\x01a\0\0\x01\0\x01";
    let rows = cells(picky.path(), &datagrams(53, &[query, b"\x01own"]), &[], &["picky.first", "dns.qry.name"]);
    assert_eq!(rows, ["1\t0\ta", "2\t1\t"]);
}

#[test]
fn a_dissector_on_tcp_that_rejects_is_asked_again_as_the_lower_port() {
    let text = "local p = Proto('never', 'Never')
        local f = ProtoField.uint16('never.len', 'Length')
        p.fields = {f}
        function p.dissector(tvb, pinfo, tree)
          tree:add(p, tvb()):add(f, tvb:len())
          return 0
        end
        DissectorTable.get('tcp.port'):add(9999, p)";
    let never = Scratch::new("never.lua", text.as_bytes());
    assert_eq!(cells(never.path(), &cut(&[(0, 5), (5, 9)]), &[], &["never.len"]), ["4\t5;5", "5\t4;4"]);
    let json = dissect(never.path(), &cut(&[(0, 5), (5, 9)]), &["--json"]);
    assert!(json.out.contains("_ws.lua.rejected"), "{}", json.out);
}

#[test]
fn built_in_dissectors_are_called_below_an_item() {
    let text = "local p = Proto('outer', 'Outer')
        local f = ProtoField.uint8('outer.taken', 'Taken')
        p.fields = {f}
        function p.dissector(tvb, pinfo, tree)
          local t = tree:add(p, tvb())
          t:add(f, Dissector.get('dns'):call(tvb(1):tvb(), pinfo, t))
        end
        DissectorTable.get('udp.port'):add(9998, p)";
    let outer = Scratch::new("outer.lua", text.as_bytes());
    let query = b"\x07\0\x02\x01\0\0\x01\0\0\0\0\0\0\x01a\0\0\x01\0\x01";
    let rows = cells(outer.path(), &datagrams(9998, &[query]), &[], &["outer.taken", "dns.qry.name", "dns.id"]);
    assert_eq!(rows, ["1\t19\ta\t0x0002"]);
}

#[test]
fn other_protocols_keep_what_scripts_do_not_ask_for() {
    // A script on another port changes nothing.
    let done = dissect(&script("calls"), &datagrams(53, &[b"\0\x02\x01\0\0\x01\0\0\0\0\0\0\x01a\0\0\x01\0\x01"]), &["--json"]);
    assert!(done.code == 0 && done.out.contains("dns.qry.name"), "{}", done.out);
    assert_eq!(MESSAGES.len(), 35);
}

#[test]
fn ports_may_be_added_while_packets_are_dissected() {
    let text = "local p = Proto('later', 'Later')
        local f = ProtoField.string('later.text', 'Text')
        p.fields = {f}
        function p.dissector(tvb, pinfo, tree) tree:add(p, tvb()):add(f, tvb()) end
        function p.init() DissectorTable.get('udp.port'):add(7003, p) end
        local first = Proto('first', 'First')
        first:register_heuristic('udp', function(tvb, pinfo)
          if tvb:raw() == 'go' then DissectorTable.get('udp.port'):add(pinfo.dst_port, p) end
          return false
        end)";
    let later = Scratch::new("later.lua", text.as_bytes());
    let fields = ["later.text"];
    assert_eq!(cells(later.path(), &datagrams(7003, &[b"a"]), &[], &fields), ["1\ta"]);
    assert_eq!(cells(later.path(), &datagrams(7001, &[b"a", b"go", b"b"]), &[], &fields), ["3\tb"]);
}

#[test]
fn tables_of_scripts_are_looked_up_by_scripts() {
    let text = "local p, inner = Proto('outer2', 'Outer'), Proto('inner2', 'Inner')
        local f, g = ProtoField.uint8('outer2.taken', 'Taken'), ProtoField.string('inner2.text', 'Text')
        p.fields, inner.fields = {f}, {g}
        function inner.dissector(tvb, pinfo, tree) tree:add(inner, tvb()):add(g, tvb()) return tvb:len() end
        local own, named = DissectorTable.new('own.kinds'), DissectorTable.new('own.names', 'Names', ftypes.STRING)
        own:add('3,5-7', inner)
        named:add('word', inner)
        function p.dissector(tvb, pinfo, tree)
          local t, rest = tree:add(p, tvb()), tvb(1):tvb()
          local kind = tvb(0, 1):uint()
          t:add(f, own:try(kind, rest, pinfo, t))
          t:add(f, DissectorTable.get('own.names'):try(kind == 9 and 'word' or 'none', rest, pinfo, t))
          t:add(f, own:get_dissector(kind) and 1 or 0)
        end
        DissectorTable.get('udp.port'):add(9998, p)";
    let outer = Scratch::new("outer2.lua", text.as_bytes());
    let payloads: [&[u8]; 3] = [b"\x03abc", b"\x06d", b"\x09ef"];
    let rows = cells(outer.path(), &datagrams(9998, &payloads), &[], &["outer2.taken", "inner2.text", "data.data"]);
    assert_eq!(rows, ["1\t3;3;1\tabc\t616263", "2\t1;1;1\td\t64", "3\t2;2;0\tef\t6566"]);
}

#[test]
fn what_a_dissector_adds_before_it_asks_for_more_bytes_is_in_its_frame() {
    let text = "local p = Proto('early', 'Early')
        local f, g = ProtoField.uint8('early.got', 'Got'), ProtoField.bytes('early.first', 'First', base.COLON)
        p.fields = {f, g}
        function p.dissector(tvb, pinfo, tree)
          local t = tree:add(p, tvb())
          t:add(f, tvb:len())
          t:add(g, tvb(0, 3))
          if tvb:len() < 8 then pinfo.desegment_offset = 0 pinfo.desegment_len = 8 - tvb:len() end
        end
        DissectorTable.get('tcp.port'):add(9999, p)";
    let early = Scratch::new("early.lua", text.as_bytes());
    let rows = cells(early.path(), &cut(&[(0, 5), (5, 8)]), &[], &["early", "early.got", "early.first"]);
    assert_eq!(rows, ["4\tearly\t5\t08:00:01", "5\tearly\t8\t08:00:01"]);
}

#[test]
fn an_unregistered_field_with_a_text_adds_the_text() {
    let text = "local p = Proto('loose', 'Loose')
        local f, g = ProtoField.uint8('loose.in', 'In'), ProtoField.uint8('loose.out', 'Out')
        p.fields = {f}
        function p.dissector(tvb, pinfo, tree)
          local t = tree:add(p, tvb())
          t:add(g, 'only text') t:add(g, tvb(0, 1), 'of a range')
          t:add(f, pcall(t.add, t, g, tvb(0, 1)) and 1 or 0)
          t:add(f, ByteArray.new('0102').len(ByteArray.new('0102')))
          t:add(f, ByteArray.uint(ByteArray.new('0002')))
        end
        DissectorTable.get('udp.port'):add(9998, p)";
    let loose = Scratch::new("loose.lua", text.as_bytes());
    let rows = cells(loose.path(), &datagrams(9998, &[b"a"]), &[], &["loose.in", "_ws.lua.text"]);
    assert_eq!(rows, ["1\t0;2;2\t1;1"]);
}
