//! Homes and hosts: when two are one.

use std::collections::HashSet;
use std::time::{Duration, SystemTime};

use watertight_vocabulary::{CaseRule, HomeId, HomeStamp, HostId};

fn stamp(inode: u64, created: u64) -> HomeStamp {
    let created = Some(SystemTime::UNIX_EPOCH + Duration::from_secs(created));
    HomeStamp { device: 1, inode, created }
}

#[test]
fn prof_45_a_folder_that_was_deleted_and_made_again_is_another_home() {
    let home = HomeId::new("/homes/a".into(), Some(stamp(7, 1)));
    assert_eq!(home, home.clone());
    assert_eq!(home, HomeId::new("/homes/a".into(), Some(stamp(7, 1))));
    for other in [stamp(8, 1), stamp(7, 2)] {
        let other = HomeId::new("/homes/a".into(), Some(other));
        assert_ne!(home, other);
        assert!(home.same_place(&other, CaseRule::Sensitive), "at the same place");
    }
    assert_ne!(home, HomeId::new("/homes/a".into(), None));
    assert_ne!(home, HomeId::new("/homes/b".into(), Some(stamp(7, 1))));
    let set: HashSet<_> = [home.clone(), home.clone()].into_iter().collect();
    assert_eq!(set.len(), 1, "it is a key of caches");
}

#[test]
fn prof_40_paths_compare_by_the_platform_s_case_rule() {
    let (lower, upper) = (HomeId::new("/homes/a".into(), None), HomeId::new("/Homes/A".into(), None));
    assert!(!lower.same_place(&upper, CaseRule::Sensitive));
    assert!(lower.same_place(&upper, CaseRule::AsciiInsensitive));
}

#[test]
fn host_32_no_two_hosts_have_one_id() {
    let ids: HashSet<_> = (0..100).map(|_| HostId::unique()).collect();
    assert_eq!(ids.len(), 100);
}
