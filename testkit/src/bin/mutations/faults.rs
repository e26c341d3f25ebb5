//! The faults that are tried, and the test that must notice each.

use crate::fault::{Fault, Test};

const CORE: &str = "crates/gradless/src";
const EXPLAIN: &str = "crates/gradless-explain/src";
const MODELS: &str = "crates/gradless-models/src";

const fn core(file: &'static str, name: &'static str) -> Test {
    Test { package: "gradless", file, name }
}

const fn explain(file: &'static str, name: &'static str) -> Test {
    Test { package: "gradless-explain", file, name }
}

const EVERY_STEP: Test = core("theorems", "every_step_descends_by_exactly_what_the_lemma_says");
const RATE: Test = core("theorems", "mean_stationarity_falls_as_one_over_the_steps_in_any_dimension");
const PINS: Test = core("stability", "trajectories_of_the_paper_are_what_they_were");
const PROMISES: Test = core("promises", "every_run_keeps_its_promises");
const READING: Test = core("naive", "every_method_does_what_its_definition_says");

/// All of them.
pub(crate) const FAULTS: &[Fault] = &[
    Fault {
        part: "step rule",
        what: "the weight of ZO-AdaExpGrad never grows",
        within: CORE,
        old: "self.seen.floor() * (1.0 + self.seen.sum).sqrt()",
        new: "self.seen.floor()",
        test: EVERY_STEP,
    },
    Fault {
        part: "step rule",
        what: "ZO-AdaExpGrad+ takes whole steps",
        within: CORE,
        old: "self.seen.add(step);\n        before / self.alpha()",
        new: "self.seen.add(step);\n        before / before",
        test: EVERY_STEP,
    },
    Fault {
        part: "step rule",
        what: "steps add up without being squared",
        within: CORE,
        old: "(step / self.floor()).powi(2)",
        new: "(step / self.floor()).abs()",
        test: PINS,
    },
    Fault {
        part: "step rule",
        what: "STORM's weight lacks its growing factor",
        within: CORE,
        old: "((tau - 1.0) / tau.sqrt()).max(1.0)",
        new: "tau.max(1.0).min(1.0)",
        test: PINS,
    },
    Fault {
        part: "step rule",
        what: "the strong convexity of the entropy lacks its constant",
        within: CORE,
        old: "1.0 / (x_l1.max(y_l1) + self.a * self.dim as f64)",
        new: "1.0 / (x_l1.max(y_l1) + self.a)",
        test: EVERY_STEP,
    },
    Fault {
        part: "step rule",
        what: "the first weight does not know the scale of the objective",
        within: CORE,
        old: "norm => factor * norm,",
        new: "norm => factor * norm.signum(),",
        test: core(
            "descent",
            "scaling_the_objective_by_a_power_of_two_changes_no_bit_and_by_others_only_rounding",
        ),
    },
    Fault {
        part: "step rule",
        what: "AO-ExpGrad forgets its hint",
        within: CORE,
        old: "*lead = share * (g - *hint) + g;",
        new: "*lead = share * g + g;",
        test: READING,
    },
    Fault {
        part: "step",
        what: "steps are ten times too long",
        within: CORE,
        old: "Step { x: view.x, g: d, eta: weight }",
        new: "Step { x: view.x, g: d, eta: 0.1 * weight }",
        test: RATE,
    },
    Fault {
        part: "step",
        what: "iterates stay where they are",
        within: CORE,
        old: "vector::move_towards(&mut points.x, &step.v, moved.share)",
        new: "vector::move_towards(&mut points.x, &step.v, 0.0 * moved.share)",
        test: core("theorems", "stationarity_adds_up_to_less_than_the_bound_however_long_the_run"),
    },
    Fault {
        part: "step",
        what: "steps go uphill",
        within: CORE,
        old: "Step { x: view.x, g: d, eta: weight }",
        new: "Step { x: view.x, g: &d.iter().map(|d| -d).collect::<Vec<f64>>(), eta: weight }",
        test: Test {
            package: "gradless-paper",
            file: "findings",
            name: "the_papers_findings_show_in_a_small_run",
        },
    },
    Fault {
        part: "prox",
        what: "the entropy step forgets to divide the weight of the l1 norm",
        within: CORE,
        old: "let (threshold, c) = (l1 * per_eta, l2 * per_eta * a);",
        new: "let (threshold, c) = (l1, l2 * per_eta * a);",
        test: core("prox_reference", "the_fast_step_is_the_naive_step"),
    },
    Fault {
        part: "prox",
        what: "the threshold is halved on the careful path",
        within: CORE,
        old: "let k = z.abs() - terms.l1.at(i);\n        let free",
        new: "let k = z.abs() - 0.5 * terms.l1.at(i);\n        let free",
        test: core("prox_certificates", "ordinary_steps_are_optimal"),
    },
    Fault {
        part: "prox",
        what: "upper bounds are not kept",
        within: CORE,
        old: "if value > upper { upper } else { value }",
        new: "if value > upper { value } else { value }",
        test: PROMISES,
    },
    Fault {
        part: "estimator",
        what: "a difference has the wrong sign",
        within: CORE,
        old: "(value - base) / self.nu",
        new: "(base - value) / self.nu",
        test: RATE,
    },
    Fault {
        part: "estimator",
        what: "the factor d of the sphere is lost",
        within: CORE,
        old: "let factor = self.directions.factor();",
        new: "let factor = self.directions.factor().min(1.0);",
        test: READING,
    },
    Fault {
        part: "estimator",
        what: "central differences are twice too large",
        within: CORE,
        old: "(pair[0] - pair[1]) / (2.0 * self.nu)",
        new: "(pair[0] - pair[1]) / self.nu",
        test: core("lib", "every_layout_finds_the_slopes_of_a_linear_function"),
    },
    Fault {
        part: "estimator",
        what: "the black box is asked at half the radius",
        within: CORE,
        old: "let step = |j, length, sample| Row { base, step: Some((j, length)), sample };",
        new: "let step = |j, length: f64, sample| Row { base, step: Some((j, 0.5 * length)), sample };",
        test: RATE,
    },
    Fault {
        part: "estimator",
        what: "the radius of the theorems shrinks too slowly with d",
        within: CORE,
        old: "Self::Horizon => horizon.map(|t| 1.0 / (d * t.sqrt())),",
        new: "Self::Horizon => horizon.map(|t| 1.0 / (d * t).sqrt()),",
        test: core("lib", "the_fixed_batch_rule_is_the_theorems_rule_at_the_theorems_batch"),
    },
    Fault {
        part: "estimator",
        what: "failed answers count as slopes of 0",
        within: CORE,
        old: "let share = 1.0 / kept.max(1) as f64;",
        new: "let share = 1.0 / y.len().max(1) as f64;",
        test: core("lib", "a_failed_answer_drops_its_direction_and_the_rest_is_averaged"),
    },
    Fault {
        part: "direction",
        what: "every iteration draws the same signs",
        within: CORE,
        old: "self.key.fill(iteration, 0, &mut self.bits);",
        new: "self.key.fill(iteration.min(0), 0, &mut self.bits);",
        test: PINS,
    },
    Fault {
        part: "direction",
        what: "directions of the sphere are as long as they come",
        within: CORE,
        old: "*out = x + scale * (z / norm);",
        new: "*out = x + scale * (z / norm.min(1.0));",
        test: core("lib", "every_direction_has_length_one"),
    },
    Fault {
        part: "direction",
        what: "rows of the Hadamard matrix keep their own signs",
        within: CORE,
        old: "signs::write(|w| signs_of_row(row, w) ^ s[w], base, scale, out);",
        new: "signs::write(|w| signs_of_row(row, w) ^ (s[w] & 0), base, scale, out);",
        test: core("lib", "each_sign_vector_is_equally_likely"),
    },
    Fault {
        part: "STORM",
        what: "the correction has the wrong sign",
        within: CORE,
        old: "*y -= carry * previous",
        new: "*y += carry * previous",
        test: core("storm", "with_all_directions_zeroth_order_storm_is_plain"),
    },
    Fault {
        part: "STORM",
        what: "the past weighs more than it should",
        within: CORE,
        old: "2.0 / (1.0 + self.tau(t, m))",
        new: "1.0 / (1.0 + self.tau(t, m))",
        test: READING,
    },
    Fault {
        part: "STORM",
        what: "gradients at the point before are subtracted whole",
        within: CORE,
        old: "space.add_restricted(rows[j + m], -carry * share, d);",
        new: "space.add_restricted(rows[j + m], -share, d);",
        test: core("storm", "the_error_obeys_its_recursion"),
    },
    Fault {
        part: "STORM",
        what: "the two points do not share their samples",
        within: CORE,
        old: "self.push_rows(Base::Previous, self.known_previous.is_some(), first_sample, &mut rows);",
        new: "self.push_rows(Base::Previous, self.known_previous.is_some(), first_sample + 1, &mut rows);",
        test: core("lib", "the_two_values_of_a_difference_share_their_sample_and_pairs_do_not"),
    },
    Fault {
        part: "auto",
        what: "every step is kept",
        within: CORE,
        old: "if objective < ceiling + slack && surprise <= allowed + slack {",
        new: "if objective < f64::INFINITY {",
        test: core("watched", "a_step_is_taken_back_where_it_ends_above_the_last_five_and_only_there"),
    },
    Fault {
        part: "auto",
        what: "a step that loses too much of l is kept",
        within: CORE,
        old: "if objective < ceiling + slack && surprise <= allowed + slack {",
        new: "if objective < ceiling + slack {",
        test: core("watched", "no_step_is_kept_that_loses_a_twentieth_of_what_there_is_to_lose"),
    },
    Fault {
        part: "auto",
        what: "after a step that was taken back the next is longer",
        within: CORE,
        old: "} else {\n                    self.scale_weight(WEIGHT_AFTER_REJECT);",
        new: "} else {\n                    self.scale_weight(WEIGHT_AFTER_ACCEPT);",
        test: core("watched", "a_step_is_taken_back_where_it_ends_above_the_last_five_and_only_there"),
    },
    Fault {
        part: "auto",
        what: "slopes are corrected to the wrong side",
        within: CORE,
        old: "let factor = CORRECTION * error / length;",
        new: "let factor = -CORRECTION * error / length;",
        test: core("auto", "sparse_problems_are_solved_exactly_and_the_run_ends_by_itself"),
    },
    Fault {
        part: "noise",
        what: "noise between samples is taken for none",
        within: CORE,
        old: "} else if differ(first, other) {",
        new: "} else if differ(first, same) {",
        test: core("auto", "noise_that_comes_late_is_noticed_and_averaged_out"),
    },
    Fault {
        part: "noise",
        what: "differences of all orders are taken to have the same noise",
        within: CORE,
        old: "gamma *= 0.5 * k / (2.0 * k - 1.0);",
        new: "gamma *= 0.5_f64.powf(k.min(0.0));",
        test: core("lib", "noise_is_found_within_a_factor_of_three_from_1e_minus_7_to_1e_minus_2"),
    },
    Fault {
        part: "noise",
        what: "a margin counts that is one standard deviation of its noise",
        within: EXPLAIN,
        old: "let margin = (SIGMAS * deviation(&again)).max(rounding);",
        new: "let margin = deviation(&again).max(rounding);",
        test: explain("lib", "noise_is_the_spread_of_what_is_asked_again"),
    },
    Fault {
        part: "noise",
        what: "a jump between neighbouring inputs counts as rounding",
        within: EXPLAIN,
        old: "apart.filter(|apart| apart.abs() <= STEP * size).collect();",
        new: "apart.collect();",
        test: explain("lib", "steps_are_no_noise_even_where_the_input_lies_on_one"),
    },
    Fault {
        part: "bounds",
        what: "differences are taken around the point itself, whatever room it has",
        within: CORE,
        old: "centre[i] = bounds.retreat(i, x[i], share * norms.max * reach);",
        new: "centre[i] = x[i] + 0.0 * share * norms.max * reach * bounds.width(i);",
        test: core("lib", "only_what_is_perturbed_leaves_the_boundary"),
    },
    Fault {
        part: "bounds",
        what: "queries are not brought back into the set",
        within: CORE,
        old: "if self.placement == Placement::Inside {\n            self.space.set.settle(free);",
        new: "if false {\n            self.space.set.settle(free);",
        test: core("inside", "no_method_leaves_any_set_by_default"),
    },
    Fault {
        part: "noise",
        what: "the noise of a margin is that of one score",
        within: MODELS,
        old: "loss: |scores: &[f64]| scores[class] - scores[runner_up] }",
        new: "loss: |scores: &[f64]| scores[class] }",
        test: Test {
            package: "gradless-models",
            file: "wrap",
            name: "the_noise_of_a_margin_is_that_of_both_scores",
        },
    },
    Fault {
        part: "budget",
        what: "one query more than allowed is asked",
        within: CORE,
        old: "if needed > available {",
        new: "if needed > available + 1 {",
        test: core("budget", "no_configuration_exceeds_a_budget"),
    },
    Fault {
        part: "budget",
        what: "one point more than allowed is sent again",
        within: CORE,
        old: "self.config.budget.sent.is_none_or(|limit| sent <= limit)",
        new: "self.config.budget.sent.is_none_or(|limit| sent <= limit + 1)",
        test: core("budget", "the_last_point_of_a_budget_may_be_sent_again_and_not_one_more"),
    },
    Fault {
        part: "budget",
        what: "a query of every batch is not counted",
        within: CORE,
        old: "self.state.books.counts.queries += rows.len() as u64;",
        new: "self.state.books.counts.queries += rows.len() as u64 - 1;",
        test: core("budget", "every_method_costs_what_the_books_say"),
    },
    Fault {
        part: "journal",
        what: "damaged records are believed",
        within: CORE,
        old: "if checksum(position, &bytes[..whole]) != told {",
        new: "if checksum(position, &bytes[..whole]) != told && told == 0 {",
        test: core("lib", "a_damaged_middle_is_refused_with_its_position_and_a_damaged_end_is_cut"),
    },
    Fault {
        part: "journal",
        what: "half a record at the end stays",
        within: CORE,
        old: "found.cut = (bytes.len() - at) as u64;",
        new: "found.cut = (bytes.len() - at) as u64 * 0;",
        test: core("journal", "half_a_record_at_the_end_is_told_and_taken_away"),
    },
    Fault {
        part: "journal",
        what: "a point that is asked again gets the first answer",
        within: CORE,
        old: "let question = Question { key, time: asked.next };",
        new: "let question = Question { key, time: asked.next.min(0) };",
        test: core("journal", "noise_is_still_noticed_and_replays_exactly_whatever_the_threads"),
    },
    Fault {
        part: "journal",
        what: "one point more than the cap is sent",
        within: CORE,
        old: "inner.sent.saturating_add(asked) > cap",
        new: "inner.sent.saturating_add(asked) > cap + 1",
        test: core("lib", "the_cap_holds_over_every_start_and_refuses_before_anything_is_written"),
    },
    Fault {
        part: "result",
        what: "the best point is the one with the lowest loss, whatever its penalty",
        within: CORE,
        old: "Some(best) if objective < best.objective => {",
        new: "Some(best) if loss < best.loss => {",
        test: PROMISES,
    },
    Fault {
        part: "explanation",
        what: "leaving the class counts as keeping it",
        within: EXPLAIN,
        old: "Kind::Leaves => -lead(scores, self.class),",
        new: "Kind::Leaves => lead(scores, self.class),",
        test: explain("lib", "margins_are_positive_where_the_condition_holds"),
    },
    Fault {
        part: "explanation",
        what: "a margin that is asked for is not waited for",
        within: EXPLAIN,
        old: "margin > self.aim()\n",
        new: "margin > self.aim().min(0.0)\n",
        test: explain("explain", "a_margin_that_is_asked_for_is_kept_but_for_places_the_class_does_not_need"),
    },
    Fault {
        part: "pruning",
        what: "several places go together although the class does not bear it",
        within: EXPLAIN,
        old: "Some(&margin) if margin > bar => {\n                goes = middle;",
        new: "Some(&margin) if !margin.is_nan() => {\n                goes = middle;",
        test: explain("pruning", "what_is_left_has_the_class_and_no_place_of_it_can_go"),
    },
    Fault {
        part: "pruning",
        what: "one round is taken for all",
        within: EXPLAIN,
        old: "held = together(ledger, &held.point, alone, &order, (bar, end))?;",
        new: "return Ok((together(ledger, &held.point, alone, &order, (bar, end))?, Minimal::Checked));",
        test: explain("pruning", "places_that_can_go_only_one_after_the_other_all_go"),
    },
    Fault {
        part: "pruning",
        what: "places that can go by a small margin stay",
        within: EXPLAIN,
        old: ".filter(|&(_, margin)| margin > bar).collect();",
        new: ".filter(|&(_, margin)| margin > bar + 0.5).collect();",
        test: explain("pruning", "what_is_left_has_the_class_and_no_place_of_it_can_go"),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_still_applies_in_one_place() {
        let wrong = |fault: &Fault| {
            let place = crate::tree::only_place(&crate::root().join(fault.within), fault.old);
            place.err().map(|why| format!("{fault}: {why}"))
        };
        let wrong: Vec<String> = FAULTS.iter().filter_map(wrong).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
