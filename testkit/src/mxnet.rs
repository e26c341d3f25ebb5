//! Parameter files as MXNet writes them, of every version.

/// How an array is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Before there were versions: it begins with the number of its axes.
    Legacy,
    /// Axes of 64 bits.
    One,
    /// With a word for sparse arrays.
    Two,
    /// With numpy's meaning of no axes.
    Three,
}

/// A file with these arrays: name, shape, values.
pub fn parameters(version: Version, arrays: &[(&str, &[usize], &[f32])]) -> Vec<u8> {
    let mut file = File(Vec::new());
    file.long(0x112).long(0).long(arrays.len());
    for (_, shape, values) in arrays {
        match version {
            Version::Legacy => file.word(shape.len()),
            Version::One => file.word(0xF993_FAC8).word(shape.len()),
            Version::Two => file.word(0xF993_FAC9).word(0).word(shape.len()),
            Version::Three => file.word(0xF993_FACA).word(0).word(shape.len()),
        };
        for &length in *shape {
            if version == Version::Legacy {
                file.word(length)
            } else {
                file.long(length)
            };
        }
        // On the seventh graphics card, as 32-bit floats.
        file.word(2).word(7).word(0);
        values.iter().for_each(|value| file.0.extend(value.to_le_bytes()));
    }
    file.long(arrays.len());
    for (name, ..) in arrays {
        file.long(name.len()).0.extend(name.as_bytes());
    }
    file.0
}

struct File(Vec<u8>);

impl File {
    fn word(&mut self, word: usize) -> &mut Self {
        self.0.extend(&word.to_le_bytes()[..4]);
        self
    }

    fn long(&mut self, long: usize) -> &mut Self {
        self.0.extend((long as u64).to_le_bytes());
        self
    }
}

/// An array with a name and a shape.
pub type Array = (String, Vec<usize>, Vec<f32>);

/// Arrays with the names and shapes of the authors' LeNet; `fill` gives the values.
pub fn lenet(fill: impl Fn(&str) -> f32) -> Vec<Array> {
    let shapes: [(&str, &[usize]); 8] = [
        ("conv1.weight", &[20, 1, 5, 5]),
        ("conv1.bias", &[20]),
        ("conv2.weight", &[50, 20, 5, 5]),
        ("conv2.bias", &[50]),
        ("fc1.weight", &[500, 800]),
        ("fc1.bias", &[500]),
        ("fc2.weight", &[10, 500]),
        ("fc2.bias", &[10]),
    ];
    shapes.iter().map(|(name, shape)| array(name, shape, &fill)).collect()
}

/// The same for their ResNet20.
pub fn resnet20(fill: impl Fn(&str) -> f32) -> Vec<Array> {
    let mut arrays = Vec::new();
    let mut convolution = |name: &str, norm: &str, shape: [usize; 4]| {
        arrays.push(array(&format!("{name}.weight"), &shape, &fill));
        for part in ["gamma", "beta", "running_mean", "running_var"] {
            arrays.push(array(&format!("{norm}.{part}"), &shape[..1], &fill));
        }
    };
    convolution("features.0", "features.1", [16, 3, 3, 3]);
    let mut before = 16;
    for (stage, channels) in [(2, 16), (3, 32), (4, 64)] {
        for block in 0..3 {
            let name = format!("features.{stage}.{block}");
            convolution(&format!("{name}.body.0"), &format!("{name}.body.1"), [channels, before, 3, 3]);
            convolution(&format!("{name}.body.3"), &format!("{name}.body.4"), [channels, channels, 3, 3]);
            if before != channels {
                let (from, to) = (format!("{name}.downsample.0"), format!("{name}.downsample.1"));
                convolution(&from, &to, [channels, before, 1, 1]);
            }
            before = channels;
        }
    }
    arrays.push(array("output.weight", &[10, 64], &fill));
    arrays.push(array("output.bias", &[10], &fill));
    arrays
}

/// A file with these arrays, as the authors' version of MXNet writes it.
pub fn file(arrays: &[Array]) -> Vec<u8> {
    let borrowed: Vec<_> =
        arrays.iter().map(|(name, shape, values)| (&name[..], &shape[..], &values[..])).collect();
    parameters(Version::Two, &borrowed)
}

fn array(name: &str, shape: &[usize], fill: &impl Fn(&str) -> f32) -> Array {
    (name.to_owned(), shape.to_vec(), vec![fill(name); shape.iter().product()])
}
