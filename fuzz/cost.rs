//! A limit of CPU time per byte, which libFuzzer's `-timeout` does not have: quadratic work shows long before a hang.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// CPU time that an input may take, besides [`PER_BYTE`]: tables of protocols are made in the first run.
const BASE: Duration = Duration::from_millis(500);
/// CPU time for each of its bytes, in a build with instrumentation.
const PER_BYTE: Duration = Duration::from_micros(100);

fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Runs a target. An input that exceeds the limit is run again, so that a page fault or a first use is no finding.
pub fn limited(input: &[u8], run: fn(&[u8])) {
    let limit = BASE + PER_BYTE * u32::try_from(input.len()).unwrap_or(u32::MAX);
    let took = || {
        let start = now();
        run(input);
        now().saturating_sub(start)
    };
    if took() > limit {
        let again = took();
        assert!(again <= limit, "{again:?} of CPU for {} bytes, at most {limit:?} expected", input.len());
    }
}
