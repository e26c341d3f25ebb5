//! Numbers with a shape.

/// The most values a tensor may have: an eighth of a gigabyte, a hundred times what small classifiers need.
const MAX_VALUES: usize = 1 << 24;

/// Numbers with a shape, the last axis running fastest.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tensor {
    pub(super) shape: Vec<usize>,
    pub(super) values: Vec<f64>,
}

impl Tensor {
    /// As many values as `shape` asks for.
    pub(super) fn new(shape: Vec<usize>, values: Vec<f64>) -> Result<Self, String> {
        if count(&shape)? == values.len() {
            Ok(Self { shape, values })
        } else {
            Err(format!("{} values for shape {shape:?}", values.len()))
        }
    }

    /// All the same.
    pub(super) fn filled(shape: Vec<usize>, value: f64) -> Result<Self, String> {
        let values = vec![value; count(&shape)?];
        Ok(Self { shape, values })
    }

    /// The function of every value.
    pub(super) fn map(&self, f: impl Fn(f64) -> f64) -> Self {
        Self { shape: self.shape.clone(), values: self.values.iter().map(|value| f(*value)).collect() }
    }

    /// Channels, height and width of one image.
    pub(super) fn image(&self) -> Result<[usize; 3], String> {
        match self.shape[..] {
            [1, channels, height, width] => Ok([channels, height, width]),
            _ => Err(format!("an input of shape {:?}, [1, channels, height, width] is needed", self.shape)),
        }
    }

    /// Rows and columns.
    pub(super) fn matrix(&self) -> Result<[usize; 2], String> {
        self.shape[..]
            .try_into()
            .map_err(|_| format!("an input of shape {:?}, a matrix is needed", self.shape))
    }

    /// The values, if they are `expected` many in a row.
    pub(super) fn row(&self, expected: usize) -> Result<&[f64], String> {
        if self.shape == [expected] {
            Ok(&self.values)
        } else {
            Err(format!("an input of shape {:?}, [{expected}] is needed", self.shape))
        }
    }
}

/// How many values `shape` asks for, if there are any and not too many.
pub(super) fn count(shape: &[usize]) -> Result<usize, String> {
    let count = shape.iter().try_fold(1, |count: usize, length| count.checked_mul(*length));
    count
        .filter(|count| (1..=MAX_VALUES).contains(count))
        .ok_or_else(|| format!("shape {shape:?} must have 1 to {MAX_VALUES} values"))
}
