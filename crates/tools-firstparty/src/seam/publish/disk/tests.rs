//! Holding and publishing on real files.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::time::Duration;

use contract_registry::AccessMode;
use tempfile::TempDir;

use super::super::Reach;
use super::*;
use crate::config::AccessCaps;
use crate::seam::error::{FileKind, FsError};

const NOT_CANCELLED: &dyn Fn() -> bool = &|| false;

fn folder() -> TempDir {
    tempfile::tempdir().expect("temp dir")
}

fn hold(path: &Path) -> Result<Box<dyn HeldFile>, PublishError> {
    let reach = Reach::new(AccessMode::Full, Path::new("/"), &AccessCaps::default());
    hold_in(path, &reach)
}

fn hold_in(path: &Path, reach: &Reach) -> Result<Box<dyn HeldFile>, PublishError> {
    let patience = Patience { max: Duration::from_millis(50), is_cancelled: NOT_CANCELLED };
    DiskPublisher.hold(&Request { path, makes_folders: true, reach, patience })
}

fn publish(path: &Path, content: &str) -> Result<VersionToken, PublishError> {
    hold(path)?.publish(content.as_bytes(), NOT_CANCELLED)
}

/// Names in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("lists");
    let name = |entry: std::io::Result<fs::DirEntry>| {
        entry.expect("an entry").file_name().into_string().expect("a name in UTF-8")
    };
    let mut names: Vec<_> = entries.map(name).collect();
    names.sort();
    names
}

#[test]
fn a_file_is_created_with_its_folders_and_the_mode_of_new_files() {
    let dir = folder();
    publish(&dir.path().join("a/b/f"), "one").expect("created");
    assert_eq!(fs::read(dir.path().join("a/b/f")).expect("reads"), b"one");
    fs::write(dir.path().join("plain"), "").expect("write");
    let mode = |path: &str| fs::metadata(dir.path().join(path)).expect("metadata").mode();
    assert_eq!(mode("a/b/f"), mode("plain"));
    assert_eq!(names(&dir.path().join("a/b")), ["f"]);
}

#[test]
fn the_version_given_is_the_one_found_next() {
    let dir = folder();
    let path = dir.path().join("f");
    for content in ["one", &"large ".repeat(20_000)] {
        let version = publish(&path, content).expect("published");
        let held = hold(&path).expect("held");
        assert_eq!(held.version(), Some(&version));
        assert_eq!(held.read(1_000_000), Ok(Some(content.as_bytes().to_vec())));
        assert_eq!(held.read(content.len()), Ok(Some(content.as_bytes().to_vec())));
        assert_eq!(held.read(content.len() - 1), Ok(None));
    }
}

#[test]
fn mode_owner_and_attributes_are_kept() {
    let dir = folder();
    let path = dir.path().join("f");
    fs::write(&path, "one").expect("write");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o4751)).expect("mode");
    // Not every file system has them; where it has, they are kept.
    let flags = rustix::fs::XattrFlags::empty();
    let has_xattrs = rustix::fs::setxattr(&path, "user.note", b"kept", flags).is_ok();
    // Only the superuser may give files away; for others owner and group are their own.
    let is_given = std::os::unix::fs::chown(&path, Some(12_345), Some(23_456)).is_ok();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o4751)).expect("mode");
    let before = fs::metadata(&path).expect("metadata");
    publish(&path, "two").expect("published");
    let after = fs::metadata(&path).expect("metadata");
    assert_ne!(before.ino(), after.ino());
    let owner = |data: &fs::Metadata| (data.uid(), data.gid(), data.mode());
    assert_eq!(owner(&before), owner(&after), "given away: {is_given}");
    if has_xattrs {
        let mut value = [0; 16];
        let count = rustix::fs::getxattr(&path, "user.note", &mut value).expect("kept");
        assert_eq!(&value[..count], b"kept");
    }
}

#[test]
fn the_access_list_of_a_folder_lets_nobody_into_a_replaced_file() {
    let dir = folder();
    let path = dir.path().join("file");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    // A default list for files made in the folder from now on: user 12345 may do all.
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, rights, id) in [
        (0x01_u16, 7_u16, u32::MAX),
        (0x02, 7, 12345),
        (0x04, 7, u32::MAX),
        (0x10, 7, u32::MAX),
        (0x20, 0, u32::MAX),
    ] {
        list.extend(tag.to_le_bytes());
        list.extend(rights.to_le_bytes());
        list.extend(id.to_le_bytes());
    }
    let flags = rustix::fs::XattrFlags::empty();
    let set = rustix::fs::setxattr(dir.path(), "system.posix_acl_default", &list, flags);
    if set == Err(rustix::io::Errno::OPNOTSUPP) {
        // No access lists here, so none to inherit.
        return;
    }
    set.unwrap();
    publish(&path, "new").unwrap();
    let mut value = [0; 256];
    let found = rustix::fs::getxattr(&path, "system.posix_acl_access", &mut value);
    assert_eq!(found, Err(rustix::io::Errno::NODATA));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o640);
}

#[test]
fn a_file_named_like_a_temporary_one_is_not_swept_while_it_is_changed() {
    let dir = folder();
    let path = dir.path().join(".tenon-deadbeef.tmp");
    fs::write(&path, "precious").unwrap();
    publish(&path, "new").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
}

#[test]
fn a_link_that_names_a_folder_leads_to_no_file() {
    let dir = folder();
    fs::write(dir.path().join("file"), "old").unwrap();
    std::os::unix::fs::symlink("file/", dir.path().join("link")).unwrap();
    assert!(publish(&dir.path().join("link"), "new").is_err());
    assert_eq!(fs::read_to_string(dir.path().join("file")).unwrap(), "old");
}

#[test]
fn a_link_is_written_through_and_stays_a_link() {
    let dir = folder();
    fs::write(dir.path().join("f"), "one").expect("write");
    symlink("f", dir.path().join("link")).expect("link");
    publish(&dir.path().join("link"), "two").expect("published");
    assert!(fs::symlink_metadata(dir.path().join("link")).expect("there").is_symlink());
    assert_eq!(fs::read(dir.path().join("f")).expect("reads"), b"two");
}

#[test]
fn a_name_of_a_hard_linked_file_gets_a_file_of_its_own() {
    let dir = folder();
    fs::write(dir.path().join("a"), "one").expect("write");
    fs::hard_link(dir.path().join("a"), dir.path().join("b")).expect("link");
    publish(&dir.path().join("a"), "two").expect("published");
    assert_eq!(fs::read(dir.path().join("a")).expect("reads"), b"two");
    assert_eq!(fs::read(dir.path().join("b")).expect("reads"), b"one");
}

#[test]
fn a_name_as_long_as_names_may_be_is_fine() {
    let dir = folder();
    publish(&dir.path().join("n".repeat(255)), "one").expect("published");
    let error = publish(&dir.path().join("n".repeat(256)), "one").expect_err("too long");
    assert_eq!(error, PublishError::BadName);
}

#[test]
fn a_change_by_others_is_seen_right_before_it_shows() {
    let dir = folder();
    let path = dir.path().join("f");
    fs::write(&path, "one").expect("write");
    let held = hold(&path).expect("held");
    fs::write(&path, "own").expect("write");
    assert_eq!(held.publish(b"two", NOT_CANCELLED), Err(PublishError::Changed));
    let held = hold(&path).expect("held");
    fs::remove_file(&path).expect("remove");
    assert_eq!(held.publish(b"two", NOT_CANCELLED), Err(PublishError::Changed));
    let held = hold(&path).expect("held");
    fs::write(&path, "own").expect("write");
    assert_eq!(held.publish(b"two", NOT_CANCELLED), Err(PublishError::Changed));
    let held = hold(&path).expect("held");
    fs::remove_file(&path).expect("remove");
    symlink("elsewhere", &path).expect("link");
    assert_eq!(held.publish(b"two", NOT_CANCELLED), Err(PublishError::Changed));
    assert_eq!(names(dir.path()), ["f"]);
}

#[test]
fn a_cancelled_change_leaves_nothing_behind() {
    let dir = folder();
    let held = hold(&dir.path().join("a/b/f")).expect("held");
    assert!(dir.path().join("a/b").is_dir());
    assert_eq!(held.publish(b"two", &|| true), Err(PublishError::Cancelled));
    assert!(names(dir.path()).is_empty());
    fs::write(dir.path().join("f"), "one").expect("write");
    // Cancelled after all of it was written, right before it shows.
    let looks = std::cell::Cell::new(0);
    let late = || looks.replace(looks.get() + 1) >= 3;
    let content = vec![b'x'; 3 * 1024 * 1024];
    let held = hold(&dir.path().join("f")).expect("held");
    assert_eq!(held.publish(&content, &late), Err(PublishError::Cancelled));
    assert_eq!(looks.get(), 4);
    assert_eq!(fs::read(dir.path().join("f")).expect("reads"), b"one");
    assert_eq!(names(dir.path()), ["f"]);
}

#[test]
fn folders_made_in_vain_go_but_not_those_someone_uses() {
    let dir = folder();
    let held = hold(&dir.path().join("a/b/f")).expect("held");
    fs::write(dir.path().join("a/other"), "").expect("write");
    drop(held);
    assert_eq!(names(&dir.path().join("a")), ["other"]);
}

#[test]
fn what_a_killed_writer_left_goes_and_nothing_else() {
    let dir = folder();
    for name in [".tenon-0123abcd.tmp", ".tenon-0123abcd", ".tenon-0123abcg.tmp", ".tenon-1.tmp"] {
        fs::write(dir.path().join(name), "part").expect("write");
    }
    fs::create_dir(dir.path().join(".tenon-00000000.tmp")).expect("folder");
    symlink("f", dir.path().join(".tenon-11111111.tmp")).expect("link");
    let live = fs::File::create(dir.path().join(".tenon-22222222.tmp")).expect("file");
    live.lock().expect("locked");
    publish(&dir.path().join("f"), "one").expect("published");
    assert_eq!(
        names(dir.path()),
        [
            ".tenon-00000000.tmp",
            ".tenon-0123abcd",
            ".tenon-0123abcg.tmp",
            ".tenon-1.tmp",
            ".tenon-11111111.tmp",
            ".tenon-22222222.tmp",
            "f"
        ]
    );
    drop(live);
    publish(&dir.path().join("g"), "one").expect("published");
    assert!(!dir.path().join(".tenon-22222222.tmp").exists());
    assert_eq!(fs::read(dir.path().join("f")).expect("reads"), b"one");
}

#[test]
fn a_folder_that_another_process_holds_is_waited_for_but_not_for_ever() {
    let dir = folder();
    let other = fs::File::open(dir.path()).expect("opens");
    other.lock().expect("locked");
    assert_eq!(publish(&dir.path().join("f"), "one"), Err(PublishError::Locked));
    drop(other);
    publish(&dir.path().join("f"), "one").expect("published");
}

#[test]
fn a_file_in_the_way_of_a_folder_is_named_so() {
    let dir = folder();
    fs::write(dir.path().join("f"), "one").expect("write");
    let error = publish(&dir.path().join("f/g"), "one").expect_err("refused");
    let part = dir.path().canonicalize().expect("there").join("f");
    assert_eq!(error.to_string(), format!("{} is not a folder", part.display()));
    assert_eq!(error, PublishError::ParentNotFolder { part: Some(part) });
    let error = publish(dir.path(), "one").expect_err("refused");
    assert_eq!(error, FsError::NotRegularFile(FileKind::Directory).into());
}

#[test]
fn the_mode_decides_where_changes_go() {
    let (dir, other) = (folder(), folder());
    let root = dir.path().join("inside");
    fs::create_dir(&root).expect("folder");
    symlink(dir.path(), root.join("out")).expect("link");
    symlink(&root, dir.path().join("in")).expect("link");
    let may = |mode, path: &Path| {
        let reach = Reach::over(mode, vec![root.clone(), other.path().to_owned()]);
        match hold_in(path, &reach) {
            Ok(_) => true,
            Err(PublishError::Denied { .. }) => false,
            Err(error) => panic!("{}: {error}", path.display()),
        }
    };
    let cases = [
        (root.join("f"), true),
        (root.join("a/b/f"), true),
        (root.join("../inside/f"), true),
        (dir.path().join("in/f"), true),
        (other.path().join("f"), true),
        (root.join("../f"), false),
        (root.join("out/f"), false),
        (root.join("out/a/f"), false),
        (dir.path().join("inside-2/f"), false),
        (PathBuf::from("/f"), false),
    ];
    for (path, is_open) in cases {
        assert_eq!(may(AccessMode::WorkspaceWrite, &path), is_open, "{}", path.display());
        assert!(!may(AccessMode::ReadOnly, &path) && may(AccessMode::Full, &path));
    }
    let everything = Reach::over(AccessMode::WorkspaceWrite, vec![PathBuf::from("/")]);
    assert!(hold_in(&dir.path().join("f"), &everything).is_ok());
}

#[test]
fn root_temporary_folder_and_configured_folders_are_open() {
    let (root, other) = (folder(), folder());
    let caps =
        AccessCaps { writable_roots: vec![other.path().to_owned()], ..AccessCaps::default() };
    let roots = vec![root.path().to_owned(), std::env::temp_dir(), other.path().to_owned()];
    assert_eq!(
        Reach::new(AccessMode::WorkspaceWrite, root.path(), &caps),
        Reach::over(AccessMode::WorkspaceWrite, roots)
    );
}

/// A known gap: what was judged is the folder, and it is written through wherever it is by then.
#[test]
fn a_folder_moved_away_while_a_file_in_it_is_held_is_still_written_to() {
    let dir = folder();
    fs::create_dir_all(dir.path().join("root/d")).expect("folders");
    let reach = Reach::over(AccessMode::WorkspaceWrite, vec![dir.path().join("root")]);
    let held = hold_in(&dir.path().join("root/d/f"), &reach).expect("held");
    fs::rename(dir.path().join("root/d"), dir.path().join("moved")).expect("moved");
    held.publish(b"one", NOT_CANCELLED).expect("published");
    assert_eq!(names(&dir.path().join("moved")), ["f"]);
}

#[test]
fn a_file_or_folder_without_leave_to_write_stays() {
    let dir = folder();
    for name in ["plain", "closed/inner"] {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(&path, "one").expect("write");
    }
    let set = |name: &str, mode| {
        let mode = fs::Permissions::from_mode(mode);
        fs::set_permissions(dir.path().join(name), mode).expect("mode");
    };
    set("plain", 0o444);
    set("closed", 0o555);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // Only this thread, and for good: the superuser needs no leave.
            let none = rustix::thread::CapabilitySet::empty();
            let sets = rustix::thread::CapabilitySets {
                effective: none,
                permitted: none,
                inheritable: none,
            };
            rustix::thread::set_capabilities(None, sets).expect("given up");
            for name in ["plain", "closed/inner", "closed/new", "closed/a/new"] {
                let error = publish(&dir.path().join(name), "two").expect_err("refused");
                assert_eq!(error, FsError::PermissionDenied.into(), "{name}");
            }
        });
    });
    set("closed", 0o755);
    assert_eq!(names(&dir.path().join("closed")), ["inner"]);
    assert_eq!(fs::read(dir.path().join("plain")).expect("reads"), b"one");
}

#[test]
fn a_folder_that_cannot_be_listed_can_be_written_to() {
    let dir = folder();
    let inner = dir.path().join("blind");
    fs::create_dir(&inner).expect("folder");
    fs::set_permissions(&inner, fs::Permissions::from_mode(0o300)).expect("mode");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let none = rustix::thread::CapabilitySet::empty();
            let sets = rustix::thread::CapabilitySets {
                effective: none,
                permitted: none,
                inheritable: none,
            };
            rustix::thread::set_capabilities(None, sets).expect("given up");
            for content in ["one", "two"] {
                publish(&inner.join("f"), content).expect("published");
            }
        });
    });
    fs::set_permissions(&inner, fs::Permissions::from_mode(0o700)).expect("mode");
    assert_eq!(names(&inner), ["f"]);
    assert_eq!(fs::read(inner.join("f")).expect("reads"), b"two");
}
