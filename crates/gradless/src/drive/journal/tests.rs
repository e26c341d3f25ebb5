//! What a journal survives and what it refuses.

use super::*;

const PROBLEM: [u8; 32] = [3; 32];

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("gradless-journal-{name}-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        Self(path)
    }

    fn open(&self) -> Result<Journal, JournalError> {
        Journal::open(&self.0, PROBLEM, 1, JournalOptions::default())
    }

    /// A journal of three answers.
    fn filled(name: &str) -> Self {
        let scratch = Self::new(name);
        let journal = scratch.open().unwrap();
        for number in 0..3 {
            answer(&journal, f64::from(number));
        }
        scratch
    }

    fn bytes(&self) -> Vec<u8> {
        std::fs::read(&self.0).unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn key(number: f64) -> Key {
    Key::new(0, &[number])
}

/// Asks for a point and answers it with ten times itself.
fn answer(journal: &Journal, number: f64) {
    let [Source::ToSend(question)] = journal.look_up(&[key(number)])[..] else { panic!("known already") };
    journal.sending(&[question]).unwrap();
    journal.answered(&[question], Some(&[10.0 * number])).unwrap();
}

fn known(journal: &Journal, number: f64) -> bool {
    journal.look_up(&[key(number)]) == [Source::Known(Some([10.0 * number].into()))]
}

#[test]
fn answers_and_counts_come_back() {
    let scratch = Scratch::filled("back");
    let journal = scratch.open().unwrap();
    assert_eq!(journal.recovered(), Recovered { answers: 3, sent: 3, cut: 0, ended: false });
    assert!((0..3).all(|number| known(&journal, f64::from(number))));
    answer(&journal, 3.0);
    journal.end().unwrap();
    drop(journal);
    assert_eq!(scratch.open().unwrap().recovered(), Recovered { answers: 4, sent: 4, cut: 0, ended: true });
}

#[test]
fn what_was_sent_and_not_answered_is_sent_again_and_counts_again() {
    let scratch = Scratch::new("in-flight");
    let journal = scratch.open().unwrap();
    let [Source::ToSend(question)] = journal.look_up(&[key(1.0)])[..] else { panic!() };
    journal.sending(&[question]).unwrap();
    drop(journal);
    let journal = scratch.open().unwrap();
    assert_eq!(journal.sent(), 1);
    answer(&journal, 1.0);
    assert_eq!(journal.sent(), 2);
}

#[test]
fn a_file_cut_anywhere_gives_what_was_whole_and_can_be_gone_on_with() {
    let whole = Scratch::filled("cut").bytes();
    let scratch = Scratch::new("cut-copy");
    for length in 0..whole.len() {
        std::fs::write(&scratch.0, &whole[..length]).unwrap();
        let journal = scratch.open().unwrap();
        let Recovered { answers, .. } = journal.recovered();
        for number in 0..3_u32 {
            let number = f64::from(number);
            if number < answers as f64 {
                assert!(known(&journal, number));
            } else {
                answer(&journal, number);
            }
        }
        drop(journal);
        assert_eq!(scratch.open().unwrap().recovered().answers, 3, "cut at {length}");
    }
}

#[test]
fn a_damaged_middle_is_refused_with_its_position_and_a_damaged_end_is_cut() {
    let whole = Scratch::filled("damaged").bytes();
    let scratch = Scratch::new("damaged-copy");
    let positions: Vec<usize> =
        (0..whole.len()).filter(|&at| format::parse(at as u64, &whole[at..], 1).is_some()).collect();
    let last = *positions.last().unwrap();
    for at in HEADER..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x40;
        std::fs::write(&scratch.0, &damaged).unwrap();
        let begins = *positions.iter().rfind(|&&begins| begins <= at).unwrap();
        match scratch.open() {
            Ok(journal) => {
                assert_eq!((begins, journal.recovered().answers), (last, 2), "byte {at}");
            }
            Err(error) => {
                let position = begins as u64;
                assert_eq!(error, JournalError::Damaged { path: scratch.0.clone(), position });
                assert_ne!(begins, last);
            }
        }
    }
}

#[test]
fn a_journal_of_something_else_is_refused() {
    let scratch = Scratch::filled("other");
    let path = scratch.0.clone();
    let opened =
        |problem, width| Journal::open(&path, problem, width, JournalOptions::default()).unwrap_err();
    assert_eq!(opened([4; 32], 1), JournalError::OtherProblem { path: path.clone() });
    assert_eq!(opened(PROBLEM, 2), JournalError::OtherProblem { path: path.clone() });
    let mut bytes = scratch.bytes();
    bytes[8] = 9;
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(opened(PROBLEM, 1), JournalError::Version { path: path.clone(), found: 9 });
    std::fs::write(&path, b"a letter to a friend, and not a journal at all").unwrap();
    assert_eq!(opened(PROBLEM, 1), JournalError::NotAJournal { path: path.clone() });
}

#[test]
fn the_second_to_open_it_is_refused_until_the_first_is_gone() {
    let scratch = Scratch::new("locked");
    let first = scratch.open().unwrap();
    assert_eq!(scratch.open().unwrap_err(), JournalError::Locked { path: scratch.0.clone() });
    drop(first);
    assert!(scratch.open().is_ok());
}

#[test]
fn the_cap_holds_over_every_start_and_refuses_before_anything_is_written() {
    let scratch = Scratch::filled("cap");
    let options = JournalOptions { max_sent: Some(4), ..JournalOptions::default() };
    let journal = Journal::open(&scratch.0, PROBLEM, 1, options).unwrap();
    let [Source::ToSend(a), Source::ToSend(b)] = journal.look_up(&[key(7.0), key(8.0)])[..] else { panic!() };
    let before = scratch.bytes();
    assert_eq!(journal.sending(&[a, b]), Err(JournalError::Spent { cap: 4, used: 3, asked: 2 }));
    assert_eq!(scratch.bytes(), before);
    journal.sending(&[a]).unwrap();
    assert_eq!(journal.sending(&[b]), Err(JournalError::Spent { cap: 4, used: 4, asked: 1 }));
}

/// A disk that takes so many bytes and no more.
#[derive(Debug)]
struct SmallDisk {
    file: std::fs::File,
    left: usize,
}

impl Storage for SmallDisk {
    fn append(&mut self, bytes: &[u8], outlives: Outlives) -> std::io::Result<()> {
        let fits = bytes.len().min(self.left);
        self.left -= fits;
        self.file.append(&bytes[..fits], outlives)?;
        if fits < bytes.len() { Err(std::io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

#[test]
fn a_full_disk_ends_the_writing_and_what_was_whole_is_kept() {
    for room in 0..260 {
        let scratch = Scratch::new(&format!("full-{room}"));
        let journal = scratch.open().unwrap();
        let file = std::fs::OpenOptions::new().append(true).open(&scratch.0).unwrap();
        journal.inner().storage = Box::new(SmallDisk { file, left: room });
        let mut used = 0_u32;
        let failed = loop {
            let [Source::ToSend(question)] = journal.look_up(&[key(f64::from(used))])[..] else { panic!() };
            let asked = journal.sending(&[question]);
            match asked.and_then(|()| journal.answered(&[question], Some(&[10.0 * f64::from(used)]))) {
                Ok(()) => used += 1,
                Err(error) => break error,
            }
        };
        let kind = std::io::ErrorKind::StorageFull;
        assert!(matches!(&failed, JournalError::Io { kind: found, doing: "written", .. } if *found == kind));
        assert_eq!(journal.end(), Err(failed), "nothing may follow half a record");
        drop(journal);
        assert_eq!(scratch.open().unwrap().recovered().answers, u64::from(used));
    }
}

#[test]
#[cfg(unix)]
fn a_device_is_no_journal() {
    let error = Journal::open("/dev/zero", PROBLEM, 1, JournalOptions::default()).unwrap_err();
    assert_eq!(error, JournalError::NotAJournal { path: "/dev/zero".into() });
}
