//! Removes what is not needed: places go in the order in which they matter least, as many at once as the class condition
//! bears, until none can go.

use super::Held;
use crate::answer::Minimal;
use crate::error::ExplainError;
use crate::ledger::Ledger;

/// Prunes a point while its margin is above a bar, with at most so many queries; whether no single place of what is left can
/// go.
///
/// Every round asks for the point without each of its places (n queries), and then how many of the places that can go
/// alone can go together (about log n), and one by one which of the others still can (at most n). It ends when no single place can go: the point is then 1-minimal.
pub(crate) fn prune(
    ledger: &Ledger<'_>,
    mut held: Held,
    bar: f64,
    queries: u64,
) -> Result<(Held, Minimal), ExplainError> {
    let end = ledger.sent() + queries;
    loop {
        ledger.report();
        let moved = ledger.moved(&held.point);
        if ledger.sent() + moved.len() as u64 > end || ledger.is_cancelled() {
            return Ok((held, Minimal::BudgetEnded));
        }
        let without: Vec<Vec<f64>> = moved.iter().map(|&i| dropped(ledger, &held.point, &[i])).collect();
        let margins = ledger.ask(&without)?;
        if margins.iter().any(|margin| margin.is_nan()) && ledger.is_cancelled() {
            return Ok((held, Minimal::BudgetEnded));
        }
        let mut able: Vec<(usize, f64)> =
            moved.into_iter().zip(margins).filter(|&(_, margin)| margin > bar).collect();
        let known = ledger.queries();
        able.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let Some(&(first, margin)) = able.first() else { return Ok((held, Minimal::Checked)) };
        let order: Vec<usize> = able.into_iter().map(|(i, _)| i).collect();
        let alone = Held { point: dropped(ledger, &held.point, &[first]), margin, known };
        held = together(ledger, &held.point, alone, &order, (bar, end))?;
    }
}

/// The point without as many of the first places as can go together, by bisection, and without those of the others that
/// can go then; the first alone can.
fn together(
    ledger: &Ledger<'_>,
    point: &[f64],
    mut held: Held,
    order: &[usize],
    (bar, end): (f64, u64),
) -> Result<Held, ExplainError> {
    let (mut goes, mut fails) = (1, order.len() + 1);
    while fails - goes > 1 && ledger.sent() < end {
        let middle = goes + (fails - goes) / 2;
        let without = [dropped(ledger, point, &order[..middle])];
        let margins = ledger.ask(&without)?;
        let [point] = without;
        match margins.first() {
            Some(&margin) if margin > bar => {
                goes = middle;
                held = Held { point, margin, known: ledger.queries() };
            }
            _ => fails = middle,
        }
    }
    // The next one cannot go with those; of the others each is tried, so that few rounds are needed.
    for &i in order.iter().skip(fails) {
        if ledger.sent() >= end {
            break;
        }
        let without = [dropped(ledger, &held.point, &[i])];
        let margins = ledger.ask(&without)?;
        let [point] = without;
        if let Some(&margin) = margins.first().filter(|&&margin| margin > bar) {
            held = Held { point, margin, known: ledger.queries() };
        }
    }
    Ok(held)
}

fn dropped(ledger: &Ledger<'_>, point: &[f64], places: &[usize]) -> Vec<f64> {
    let mut out = point.to_vec();
    for &i in places {
        out[i] = ledger.origin()[i];
    }
    out
}
