//! Removes what is not needed: places go in the order in which they matter least, as many at once as the class condition
//! bears, until none can go.

use crate::answer::ExplainError;
use crate::ledger::Ledger;
use crate::report::Minimal;

/// What is left of a point.
pub(crate) struct Pruned {
    pub(crate) point: Vec<f64>,
    pub(crate) minimal: Minimal,
}

/// Prunes a valid point with at most so many queries.
///
/// Every round asks for the point without each of its places (n queries), and then how many of the places that can go
/// alone can go together (about log n). It ends when no single place can go: the point is then 1-minimal.
pub(crate) fn prune(ledger: &Ledger<'_>, point: Vec<f64>, queries: u64) -> Result<Pruned, ExplainError> {
    let end = ledger.sent() + queries;
    let mut pruned = Pruned { point, minimal: Minimal::BudgetEnded };
    loop {
        ledger.report();
        let support = ledger.support(&pruned.point);
        if ledger.sent() + support.len() as u64 > end || ledger.is_cancelled() {
            return Ok(pruned);
        }
        let without: Vec<Vec<f64>> = support.iter().map(|&i| dropped(ledger, &pruned.point, &[i])).collect();
        let margins = ledger.ask(&without)?;
        let mut able: Vec<(usize, f64)> =
            support.into_iter().zip(margins).filter(|&(_, margin)| ledger.is_valid(margin)).collect();
        if able.is_empty() {
            pruned.minimal = Minimal::Checked;
            return Ok(pruned);
        }
        able.sort_by(|a, b| b.1.total_cmp(&a.1));
        let order: Vec<usize> = able.into_iter().map(|(i, _)| i).collect();
        let count = together(ledger, &pruned.point, &order, end)?;
        pruned.point = dropped(ledger, &pruned.point, &order[..count]);
    }
}

/// How many of the first places can go together, by bisection; the first alone can.
fn together(ledger: &Ledger<'_>, point: &[f64], order: &[usize], end: u64) -> Result<usize, ExplainError> {
    let (mut goes, mut fails) = (1, order.len() + 1);
    while fails - goes > 1 && ledger.sent() < end {
        let middle = goes + (fails - goes) / 2;
        let margins = ledger.ask(&[dropped(ledger, point, &order[..middle])])?;
        if margins.iter().all(|&margin| ledger.is_valid(margin)) {
            goes = middle;
        } else {
            fails = middle;
        }
    }
    Ok(goes)
}

fn dropped(ledger: &Ledger<'_>, point: &[f64], places: &[usize]) -> Vec<f64> {
    let mut out = point.to_vec();
    for &i in places {
        out[i] = ledger.nothing()[i];
    }
    out
}
