use super::super::Strength;
use super::*;

/// Age (whole), income, and one of three jobs; typical: 40, 2,000 and the first job.
fn person() -> Columns {
    Columns::new(
        vec![30.0, 1234.5, 0.0, 0.0, 1.0],
        vec![Column::Whole(0), Column::Number(1), Column::OneHot(vec![2, 3, 4])],
        [vec![20.0, 0.0, 0.0, 0.0, 0.0].into(), vec![70.0, 5000.0, 1.0, 1.0, 1.0].into()],
        vec![40.0, 2000.0, 1.0, 0.0, 0.0].into(),
    )
}

#[test]
fn nothing_and_everything_are_what_they_say() {
    let person = person();
    let part = person.coordinates(Question::Part).unwrap();
    assert_eq!(part.input(&part.origin, 5), [40.0, 2000.0, 1.0, 0.0, 0.0]);
    assert_eq!(part.input(&part.whole, 5), person.input);
    let change = person.coordinates(Question::CHANGE).unwrap();
    assert_eq!(change.input(&change.origin, 5), person.input);
    assert_eq!((part.features, change.features, change.dim()), (3, 3, 4));
}

#[test]
fn whole_numbers_stay_whole_and_categories_hold_one() {
    let person = person();
    let change = person.coordinates(Question::CHANGE).unwrap();
    let seen = change.input(&[0.333, 0.5, 0.7, 0.9], 5);
    assert_eq!(seen, [37.0, 2500.0, 0.0, 1.0, 0.0], "the stronger of two switches holds");
    assert_eq!(change.input(&[0.2, 0.5, 0.5, 0.1], 5)[2..], [0.0, 0.0, 1.0], "no switch is on");
    let point = [change.origin[0], 0.5, 1.0, 0.0];
    assert_eq!(change.used(&point), [1, 2]);
    let hardly = [change.origin[0] + 0.001, change.origin[1], 0.4, 0.0];
    assert_eq!(change.used(&hardly), [0; 0], "30.05 is 30, and no switch is on");
}

#[test]
fn a_category_may_be_a_single_number() {
    let coded = Columns::new(
        vec![2.0, 5.0],
        vec![Column::Category { at: 0, levels: 4 }, Column::Number(1)],
        [0.0.into(), vec![3.0, 10.0].into()],
        vec![1.0, 4.0].into(),
    );
    let change = coded.coordinates(Question::CHANGE).unwrap();
    assert_eq!(change.dim(), 4, "three other categories and a number");
    assert_eq!(change.input(&[0.0, 0.0, 1.0, 0.5], 2), [3.0, 5.0]);
    let part = coded.coordinates(Question::Part).unwrap();
    assert_eq!(part.input(&part.origin, 2), [1.0, 4.0]);
    assert_eq!(part.input(&part.whole, 2), [2.0, 5.0]);
    let unknown = Columns { input: vec![4.0, 5.0], ..coded.clone() };
    assert!(matches!(unknown.coordinates(Question::Part), Err(QuestionError::NotALevel { .. })));
}

#[test]
fn what_is_frozen_has_no_coordinate_to_move() {
    let person = Columns { frozen: vec![true, false, false, true, false], ..person() };
    for question in [Question::Part, Question::CHANGE] {
        let coordinates = person.coordinates(question).unwrap();
        assert_eq!(coordinates.free(), [1], "age and job stay");
        let far: Vec<f64> = coordinates.bounds.iter().map(|bounds| bounds.1).collect();
        let seen = coordinates.input(&far, 5);
        assert_eq!((seen[0], &seen[2..]), (30.0, &[0.0, 0.0, 1.0][..]), "{question:?}");
        let moves = coordinates.moves().unwrap();
        assert!(moves[0].is_empty() && moves[2].is_empty() && !moves[1].is_empty());
    }
    let relaxed: Vec<String> = person.relaxed().into_iter().map(|(words, _)| words).collect();
    assert_eq!(relaxed, ["column 0 may change", "column 2 may change"]);
}

#[test]
fn categories_that_are_none_and_columns_counted_twice_are_refused() {
    let ask = |person: Columns| person.coordinates(Question::Part).err();
    let none = Columns { input: vec![30.0, 1.0, 0.0, 1.0, 1.0], ..person() };
    assert!(matches!(ask(none), Some(QuestionError::NotOneHot { .. })));
    let twice = Columns { columns: vec![Column::Number(0), Column::Number(0)], ..person() };
    assert_eq!(ask(twice), Some(QuestionError::Columns { column: 0 }));
    let missing = Columns { columns: vec![Column::Number(0)], ..person() };
    assert_eq!(ask(missing), Some(QuestionError::Columns { column: 1 }));
    let short = Columns { steps: vec![1.0], ..person() };
    assert!(matches!(ask(short), Some(QuestionError::ListLength { .. })));
}

/// What the model is shown for every move of a column.
fn shown(columns: &Columns, feature: usize) -> Vec<Vec<f64>> {
    let change = columns.coordinates(Question::CHANGE).unwrap();
    let input = |one: &super::super::Move| {
        let mut point = change.origin.clone();
        one.to.iter().for_each(|&(i, value)| point[i] = value);
        change.input(&point, columns.input.len())
    };
    change.moves().unwrap()[feature].iter().map(input).collect()
}

#[test]
fn values_are_those_that_occur_on_their_steps_and_in_the_allowed_direction() {
    let rows: Vec<f64> =
        (0..100).flat_map(|k| [20.0 + f64::from(k % 50), f64::from(k) * 50.004, 1.0, 0.0, 0.0]).collect();
    let person = Columns {
        table: Some(Table::new(rows, 5).unwrap()),
        steps: vec![0.0, 0.01, 0.0, 0.0, 0.0],
        ways: vec![Way::Up, Way::Any, Way::Any, Way::Any, Way::Any],
        ..person()
    };
    let ages: Vec<f64> = shown(&person, 0).iter().map(|row| row[0]).collect();
    assert!(ages.iter().all(|&age| age > 30.0 && age == age.round()), "{ages:?}");
    assert!(ages.is_sorted(), "the cheapest first");
    let incomes: Vec<f64> = shown(&person, 1).iter().map(|row| row[1]).collect();
    assert!(incomes.len() <= 32 && incomes.iter().any(|&x| x < 1234.5) && incomes.contains(&0.0));
    assert!(incomes.iter().all(|x| ((x * 100.0).round() / 100.0 - x).abs() < 1e-9), "{incomes:?}");
    assert_eq!(shown(&person, 2).len(), 2, "two other jobs");
}

#[test]
fn a_number_that_a_rule_ties_to_another_moves_together_with_it() {
    let equal = Rule { name: "a + b = 10".into(), terms: vec![(0, 1.0), (1, 1.0)], least: 10.0, most: 10.0 };
    let below =
        Rule { name: "a <= c".into(), terms: vec![(2, 1.0), (0, -1.0)], least: 0.0, most: f64::INFINITY };
    let tied = Columns {
        rules: vec![equal, below],
        ..Columns::new(
            vec![4.0, 6.0, 5.0],
            vec![Column::Number(0), Column::Number(1), Column::Number(2)],
            [0.0.into(), 10.0.into()],
            5.0.into(),
        )
    };
    let rows: Vec<Vec<f64>> = (0..3).flat_map(|feature| shown(&tied, feature)).collect();
    assert!(!rows.is_empty());
    for row in &rows {
        assert!((row[0] + row[1] - 10.0).abs() < 1e-9 && row[0] <= row[2] + 1e-9, "{row:?}");
    }
    assert!(rows.iter().any(|row| row[0] < 4.0 && row[1] > 6.0 && row[2] == 5.0), "b follows a");
    let broken = Columns { input: vec![4.0, 5.0, 5.0], ..tied };
    assert!(matches!(broken.coordinates(Question::CHANGE), Err(QuestionError::RuleBroken { .. })));
}

#[test]
fn other_columns_of_a_part_come_from_other_rows_and_numbers_have_an_error() {
    let rows = vec![25.0, 100.0, 0.0, 1.0, 0.0, 65.0, 4900.0, 1.0, 0.0, 0.0];
    let person = Columns { table: Some(Table::new(rows, 5).unwrap()), ..person() };
    let part = person.coordinates(Question::Part).unwrap();
    let mut point = part.origin.clone();
    point[1] = part.whole[1];
    let input = part.input(&point, 5);
    let copies: Vec<Vec<f64>> =
        (0..50).map(|draw| part.disturbed(&point, &input, Strength::Times(1.0), (3, draw))).collect();
    assert!(copies.iter().all(|row| (row[1] - 1234.5).abs() < 600.0 && [25.0, 65.0].contains(&row[0])));
    assert!(copies.iter().any(|row| row[1] != 1234.5) && copies.iter().any(|row| row[0] == 25.0));
    let change = person.coordinates(Question::CHANGE).unwrap();
    let copy = change.disturbed(&change.origin, &person.input, Strength::Times(1.0), (3, 0));
    assert!(copy[2..] == person.input[2..] && copy[1] != person.input[1] && copy[0] == copy[0].round());
}

#[test]
fn a_required_row_is_as_close_to_known_rows_as_they_are_to_each_other() {
    // Two numbers that go together.
    let rows: Vec<f64> = (0..200).flat_map(|k| [f64::from(k) / 20.0, f64::from(k) / 20.0]).collect();
    let tied = Columns {
        table: Some(Table::new(rows, 2).unwrap()),
        plausible: Plausible::Require,
        ..Columns::new(
            vec![2.0, 2.0],
            vec![Column::Number(0), Column::Number(1)],
            [0.0.into(), 10.0.into()],
            5.0.into(),
        )
    };
    let change = tied.coordinates(Question::CHANGE).unwrap();
    assert!(change.allows(&[8.0, 8.0]) && !change.allows(&[8.0, 2.0]));
    assert_eq!(change.known_inputs(1), [[2.0, 2.0]]);
    assert!(change.distance_to_known(&[8.0, 2.0]).unwrap() > 0.2);
}
