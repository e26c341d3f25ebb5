//! How a run went, as a table.

/// One step of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) iteration: u64,
    pub(crate) queries: u64,
    pub(crate) objective: Option<f64>,
    pub(crate) loss: Option<f64>,
    pub(crate) norm_l1: f64,
    pub(crate) norm_l2: f64,
    pub(crate) nonzeros: usize,
    pub(crate) step_size: f64,
}

/// The table as comma-separated values; what is not known is empty.
pub(crate) fn csv(rows: impl Iterator<Item = Row>) -> String {
    let heads = "iteration,queries,objective,loss,norm_l1,norm_l2,nonzeros,step_size\n".to_owned();
    let cell = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let line = |row: Row| {
        let Row { iteration, queries, norm_l1, norm_l2, nonzeros, step_size, .. } = row;
        let (objective, loss) = (cell(row.objective), cell(row.loss));
        format!("{iteration},{queries},{objective},{loss},{norm_l1},{norm_l2},{nonzeros},{step_size}\n")
    };
    std::iter::once(heads).chain(rows.map(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_an_empty_cell() {
        let row = Row {
            iteration: 1,
            queries: 17,
            objective: None,
            loss: Some(0.5),
            norm_l1: 2.0,
            norm_l2: 1.5,
            nonzeros: 2,
            step_size: 0.25,
        };
        let table = csv(std::iter::once(row));
        assert_eq!(table.lines().nth(1), Some("1,17,,0.5,2,1.5,2,0.25"));
    }
}
