//! Every function of the API that is implemented: called, with its results.

use super::{cells, datagrams, script};
use crate::common::Scratch;

/// The bytes that `api.lua` describes.
const BYTES: &[u8] = b"\x01\x02\x03\x04\x05\x06\x07\x08name\0tail\0\x0a\x01\x02\x03\x02\0\0\0\0\x01\x3f\xc0\0\0\0\0\xc0\x3f";

#[test]
fn every_function_gives_the_results_of_wireshark() {
    let rows = cells(&script("api"), &datagrams(9998, &[BYTES]), &[], &["api.cases", "api.wrong", "_ws.lua.error"]);
    assert_eq!(rows, ["1\t119\t\t"]);
}

#[test]
fn ranges_are_equal_if_their_bytes_are_also_in_modules_and_loaded_texts() {
    let text = "local p = Proto('same', 'Same')
        local f = ProtoField.string('same.text', 'Text')
        p.fields = {f}
        local same = load('local a, b = ... return a == b')
        function p.dissector(tvb, pinfo, tree)
          local a, b, c = tvb(0, 2), tvb(2, 2), tvb(1, 2)
          local seen = {[a] = 1, [tvb(0, 2)] = 2}
          local count = 0 for _ in pairs(seen) do count = count + 1 end
          local all = {a == b, a ~= b, a == c, same(a, b), a == tvb, not a == b, a == b == true, rawequal(a, b), count, (a == b) and 'yes'}
          for i, x in ipairs(all) do all[i] = tostring(x) end
          tree:add(f, table.concat(all, ' '))
        end
        DissectorTable.get('udp.port'):add(9998, p)";
    let same = Scratch::new("same.lua", text.as_bytes());
    let rows = cells(same.path(), &datagrams(9998, &[b"abab"]), &[], &["same.text", "_ws.lua.error"]);
    assert_eq!(rows, ["1\ttrue false false true false false true false 2 yes\t"]);
}

#[test]
fn an_object_of_another_class_is_refused_by_name() {
    let text = "local p = Proto('wrong', 'Wrong')
        local f = ProtoField.string('wrong.text', 'Text')
        p.fields = {f}
        function p.dissector(tvb, pinfo, tree)
          local r = tvb(0, 1)
          for _, use in ipairs {function() return tree.uint(tree) end, function() return r:add(f) end, function() return r.nothing end,
            function() return tvb:reported_len(r) and r:reported_len() end, function() return pinfo.nothing end, function() r.x = 1 end,
            function() return r.uint(nil) end, function() return tree() end, function() return tree .. 'x' end, function() return #r end} do
            local _, e = pcall(use) tree:add(f, (e:gsub('^.-:%d+: ', '')))
          end
        end
        DissectorTable.get('udp.port'):add(9998, p)";
    let wrong = Scratch::new("wrong.lua", text.as_bytes());
    let rows = cells(wrong.path(), &datagrams(9998, &[b"a"]), &[], &["wrong.text", "_ws.lua.error"]);
    let wanted = [
        "No such 'uint' method/field for object type 'TreeItem'",
        "not a TreeItem!",
        "No such 'nothing' method/field for object type 'TvbRange'",
        "No such 'reported_len' method/field for object type 'TvbRange'",
        "No such 'nothing' method/field for object type 'Pinfo'",
        "No such 'x' method/field for object type 'TvbRange'",
        "calling 'uint' on bad self (TvbRange expected, got nil)",
        "attempt to call a TreeItem value",
        "attempt to concatenate a TreeItem value",
        "attempt to get length of a userdata value (upvalue 'r')",
    ];
    assert_eq!(rows, [format!("1\t{}\t", wanted.join(";"))]);
}
