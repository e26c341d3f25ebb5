//! What a problem file may say, and what is said about one that may not.

use super::*;

fn parse(text: &str) -> anyhow::Result<ProblemFile> {
    let file = ProblemFile::parse(text)?;
    file.problem()?;
    file.config()?;
    Ok(file)
}

#[test]
fn what_is_not_said_is_free_and_default() {
    let file = parse("schema = 1\ndim = 3").unwrap();
    let problem = file.problem().unwrap();
    assert_eq!((problem.dim(), problem.set(), problem.regulariser()), (3, &Set::Free, &Regulariser::none()));
    let config = file.config().unwrap();
    assert_eq!((config.budget, config.seed), (Budget::queries(5_000), 0));
    assert_eq!(config.recipe, Config::new(Method::named("auto").unwrap(), Preset::Practical).recipe);
}

#[test]
fn every_regulariser_and_set_can_be_said() {
    let table = [
        ("[regulariser]\nl1 = 0.5", Regulariser::l1(0.5), Set::Free),
        ("[regulariser]\nl2 = [1, 2]", Regulariser::l2(vec![1.0, 2.0]), Set::Free),
        ("[regulariser]\nl1 = 1\nl2 = 2.0", Regulariser::elastic_net(1.0, 2.0), Set::Free),
        ("[regulariser]\ngroup_l2 = 0.1\ngroups = [0, 0]", Regulariser::group_l2(0.1, vec![0, 0]), Set::Free),
        ("[set]\nlower = 0", Regulariser::none(), Set::bounds(0.0, f64::INFINITY)),
        (
            "[set]\nlower = [-inf, -1]\nupper = 1",
            Regulariser::none(),
            Set::bounds(vec![f64::NEG_INFINITY, -1.0], 1.0),
        ),
        ("[set]\nl1_ball = 2", Regulariser::none(), Set::l1_ball(2.0)),
        (
            "[set]\nl1_ball = 2\nlower = -1\nupper = 1",
            Regulariser::none(),
            Set::l1_ball_in_box(2.0, -1.0, 1.0),
        ),
        ("[set]\nl2_ball = 2.5", Regulariser::none(), Set::l2_ball(2.5)),
        ("[set]\nsimplex = 1", Regulariser::none(), Set::simplex()),
    ];
    for (text, regulariser, set) in table {
        let file = parse(&format!("schema = 1\ndim = 2\n{text}")).unwrap();
        let problem = file.problem().unwrap();
        assert_eq!((problem.regulariser(), problem.set()), (&regulariser, &set), "{text}");
        // What is written down for a resumed run is the same problem.
        let again = ProblemFile::parse(&file.text().unwrap()).unwrap();
        assert_eq!(again.problem().unwrap(), problem);
        assert_eq!(again.trajectory().unwrap(), file.trajectory().unwrap());
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    for (text, words) in [
        ("schema = 1\ndim = 2\nstrat = [1, 2]", &["line 3", "strat", "start"][..]),
        ("schema = 1\ndim = 2\n[set]\nlower = \"low\"", &["line 4", "low", ".npy"]),
        ("schema = 1\ndim = 2\n[method]\nnoise = \"loud\"", &["line 4", "loud", "detect"]),
        ("schema = 1\ndim = \"two\"", &["line 2"]),
        ("dim = 2", &["schema"]),
        ("schema = 2\ndim = 2", &["schema 2", "schema 1"]),
        ("schema = 1", &["dim = 10"]),
        ("schema = 1\nstart = 1", &["dim = 10"]),
        ("schema = 1\ndim = 2\nnames = [\"a\"]", &["1 names for 2"]),
        ("schema = 1\ndim = 2\nstart = [1]", &["start", "2", "1"]),
        ("schema = 1\ndim = 2\n[set]\nl2_ball = 1\nsimplex = 1", &["[set]"]),
        ("schema = 1\ndim = 2\n[regulariser]\ngroups = [0, 1]", &["group_l2"]),
        ("schema = 1\ndim = 2\n[regulariser]\ngroups = [0, 1]\ngroup_l2 = 1\nl1 = 1", &["groups and l1"]),
        ("schema = 1\ndim = 2\n[method]\nname = \"newton\"", &["newton"]),
        ("schema = 1\ndim = 2\n[method]\nname = \"fo-exp-grad\"", &["gradients"]),
    ] {
        let told = format!("{:#}", parse(text).unwrap_err());
        for word in words {
            assert!(told.contains(word), "'{word}' is not in: {told}");
        }
    }
}

#[test]
fn caps_on_sending_and_time_do_not_change_the_trajectory() {
    let with = |budget: &str| parse(&format!("schema = 1\ndim = 2\n[budget]\n{budget}")).unwrap();
    let plain = with("queries = 10").trajectory().unwrap();
    assert_eq!(with("queries = 10\nsent = 12\nseconds = 5").trajectory().unwrap(), plain);
    assert_ne!(with("queries = 11").trajectory().unwrap(), plain);
}
