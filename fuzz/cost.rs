//! A limit of CPU time per byte, which libFuzzer's `-timeout` does not have: quadratic work shows long before a hang.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// CPU time that an input may take, besides that of its bytes: tables of protocols are made in the first run.
const BASE: Duration = Duration::from_millis(500);
/// Microseconds for each byte of an input that is dissected and rendered, in a build with instrumentation.
#[allow(dead_code, reason = "two targets have other limits")]
pub const PER_BYTE: u32 = 100;

fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Runs a target that may take so many microseconds for each byte. An input that exceeds the limit is run again, so that a page fault or a first use is no finding.
pub fn limited(input: &[u8], per_byte: u32, run: fn(&[u8])) {
    let limit = BASE + Duration::from_micros(u64::from(per_byte) * input.len() as u64);
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
