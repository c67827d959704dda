//! Scripts run once: later passes show their results.

use super::*;
use crate::lua::{Limits, Request, Scripts, Source, Surroundings, load};
use std::fs;
use std::path::PathBuf;

/// A script that numbers its calls, so that a second run would give other values.
const COUNTING: &str = "local p = Proto('counting', 'Counting')
    local f = ProtoField.uint32('counting.n', 'N')
    p.fields = {f}
    local n = 0
    p:register_heuristic('udp', function(tvb, pinfo, tree)
      n = n + 1
      tree:add(p, tvb()):add(f, n)
      if n == 2 then pinfo.conversation = p end
      return tvb(0, 1):uint() ~= 0
    end)
    function p.dissector(tvb, pinfo, tree)
      n = n + 100
      tree:add(p, tvb()):add(f, n)
    end";

/// Loads the script for a registry of its own.
fn loaded() -> (Registry, Scripts) {
    let path: PathBuf = std::env::temp_dir().join(format!("counting-{}.lua", std::process::id()));
    fs::write(&path, COUNTING).unwrap();
    let sources = [Source { path: path.clone(), arguments: Vec::new() }];
    let surroundings = Surroundings { fields: |_| Vec::new(), protocol: |_| None, is_header: |_| false, on_port: |_, _| None };
    let loaded = load(Request { sources: &sources, options: Vec::new(), limits: Limits::default(), surroundings });
    fs::remove_file(path).unwrap();
    assert_eq!(loaded.errors, Vec::<String>::new());
    let registry = Registry::of(&[]).and(Vec::leak(loaded.protocols)).asking(loaded.scripted.unwrap());
    (registry, loaded.scripts.unwrap())
}

/// The numbers of each frame, in a pass of its own thread.
fn pass(registry: Registry, scripts: Scripts) -> Vec<Vec<u64>> {
    let dissect = move || {
        assert_eq!(scripts.begin("input"), Vec::<String>::new());
        let mut engine = Engine::complete(registry);
        let mut all = Vec::new();
        for (number, byte) in (1..).zip([0_u8, 1, 2, 0, 3]) {
            let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).udp(7001, 7002);
            let mut bytes = Vec::new();
            builder.write(&mut bytes, &[byte, 7]).unwrap();
            let frame = Frame {
                number,
                link: Link::Type(101),
                bytes: &bytes,
                original_len: u32::try_from(bytes.len()).unwrap(),
                ..Frame::default()
            };
            let tree = engine.dissect(&frame);
            let counted = tree.nodes.iter().filter(|node| node.field.abbrev == "counting.n");
            all.push(
                counted
                    .filter_map(|node| if let crate::tree::Value::Unsigned(n) = node.value { Some(n) } else { None })
                    .collect(),
            );
        }
        assert_eq!(scripts.end(), Vec::<String>::new());
        all
    };
    std::thread::spawn(dissect).join().unwrap()
}

#[test]
fn later_passes_show_the_results_of_the_first_one() {
    let (registry, scripts) = loaded();
    scripts.keep_results();
    let first = pass(registry, scripts);
    // The conversation is bound by the second call, so the dissector gets what follows.
    assert_eq!(first, [vec![1], vec![2], vec![102], vec![202], vec![302]]);
    assert_eq!(pass(registry, scripts), first);
    let both = [(); 2].map(|()| std::thread::spawn(move || pass(registry, scripts)));
    assert!(both.into_iter().all(|other| other.join().unwrap() == first));
}

#[test]
fn without_kept_results_each_pass_runs_the_scripts() {
    let (registry, scripts) = loaded();
    assert_eq!(pass(registry, scripts)[0], [1]);
    assert_eq!(pass(registry, scripts)[0], [303]);
}
