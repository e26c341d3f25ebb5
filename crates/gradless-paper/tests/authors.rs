//! The networks of the paper's authors, from files written as theirs are: what comes out computes what went in.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use gradless_paper::authors::{AuthorsProblem, Network, NetworkError, Parameters, ParametersError, convert};
use testkit::mxnet::{self, Array};
use testkit::network::Network as Referee;

fn onnx(network: Network, arrays: &[Array]) -> Result<Vec<u8>, NetworkError> {
    network.to_onnx(Parameters::read(&mxnet::file(arrays)).unwrap())
}

fn asset(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets").join(name)).unwrap()
}

#[test]
fn lenet_computes_what_the_same_weights_do_in_the_shipped_file() {
    let shipped = Referee::read(&asset("lenet.onnx")).unwrap();
    let mut arrays = shipped.weights();
    for (name, ..) in &mut arrays {
        *name = name.replace("conv_", "conv").replace("dense_", "fc");
    }
    let ours = Referee::read(&onnx(Network::LeNet, &arrays).unwrap()).unwrap();
    let image: Vec<f64> = (0..784).map(|place| f64::from(place * 37 % 101) / 100.0).collect();
    assert_eq!(ours.scores(&image), shipped.scores(&image));
}

/// Every channel of the first layer is the red pixel; the first block adds 1 before its rectifier, the others nothing; the shortcuts
/// between stages add up their channels over 16 and 32 inputs; class k is k times the mean channel, and 0.5.
fn worked_out(name: &str, place: usize) -> f32 {
    let (layer, part) = name.rsplit_once('.').unwrap();
    match part {
        "running_var" => 1.0 - 1e-5,
        "gamma" => f32::from(!layer.ends_with("body.4")),
        "beta" => f32::from(layer == "features.2.0.body.4"),
        "running_mean" => 0.0,
        "bias" => 0.5,
        _ => match layer {
            // The middle of the red kernel.
            "features.0" => f32::from(place % 27 == 4),
            "features.3.0.downsample.0" => 2.0 / 16.0,
            "features.4.0.downsample.0" => 3.0 / 32.0,
            "output" => (place / 64) as f32 / 64.0,
            _ => 0.25,
        },
    }
}

#[test]
fn resnet20_computes_what_can_be_worked_out_by_hand() {
    let mut arrays = mxnet::resnet20(|_| 0.0);
    for (name, _, values) in &mut arrays {
        values.iter_mut().enumerate().for_each(|(place, value)| *value = worked_out(name, place));
    }
    let network = Referee::read(&onnx(Network::ResNet20, &arrays).unwrap()).unwrap();
    // Had the first layer a rectifier, -0.75 and -3 would count as 0.
    for red in [0.5, -0.75, -3.0] {
        let image: Vec<f64> = (0..3072).map(|place| if place < 1024 { red } else { 9.0 }).collect();
        let channel = 6.0 * (red + 1.0).max(0.0);
        for (class, score) in network.scores(&image).into_iter().enumerate() {
            let expected = 0.5 + class as f64 * channel;
            assert!(
                (score - expected).abs() < 1e-5 * expected,
                "{red}, class {class}: {score}, not {expected}"
            );
        }
    }
}

#[test]
fn parameters_of_another_network_are_refused_by_name() {
    let mut arrays = mxnet::lenet(|_| 0.1);
    let (weight, ..) = arrays.pop().unwrap();
    let missing = onnx(Network::LeNet, &arrays);
    assert_eq!(missing, Err(NetworkError::Missing { name: weight.clone() }));
    arrays.push((weight, vec![11], vec![0.1; 11]));
    assert!(matches!(onnx(Network::LeNet, &arrays), Err(NetworkError::Unfit(_))));
    let mut arrays = mxnet::lenet(|_| 0.1);
    arrays.push(("fc3.bias".to_owned(), vec![1], vec![0.0]));
    let foreign = NetworkError::Foreign { network: "lenet", name: "fc3.bias".to_owned() };
    assert_eq!(onnx(Network::LeNet, &arrays), Err(foreign));
    let endless = onnx(Network::LeNet, &mxnet::lenet(|name| if name == "fc1.bias" { f32::NAN } else { 0.0 }));
    assert!(matches!(endless, Err(NetworkError::Unfit(_))));
    assert!(matches!(onnx(Network::ResNet20, &mxnet::lenet(|_| 0.1)), Err(NetworkError::Missing { .. })));
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("gradless-authors-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("from/highdimzo")).unwrap();
        Self(path)
    }

    fn put(&self, network: Network, bytes: &[u8]) -> &Self {
        fs::write(self.0.join("from/highdimzo").join(network.file()), bytes).unwrap();
        self
    }

    fn convert(&self) -> Result<Vec<PathBuf>, AuthorsProblem> {
        convert(&self.0.join("from"), &self.0.join("to"))
            .map(|converted| converted.networks)
            .map_err(|error| error.problem)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_folder_is_converted_whole_or_not_at_all() {
    let folder = Folder::new("whole");
    let lenet = mxnet::file(&mxnet::lenet(|_| 0.01));
    let without = folder.put(Network::LeNet, &lenet).convert().unwrap_err();
    assert!(matches!(without, AuthorsProblem::Without { name: "resnet20.params" }), "{without}");
    let cut = folder.put(Network::ResNet20, &lenet[..1000]).convert().unwrap_err();
    assert!(matches!(cut, AuthorsProblem::Parameters(ParametersError::Cut { .. })), "{cut}");
    assert!(!folder.0.join("to").exists());
    let resnet20 = mxnet::file(&mxnet::resnet20(|_| 0.01));
    let networks = folder.put(Network::ResNet20, &resnet20).convert().unwrap();
    for (network, path) in Network::ALL.into_iter().zip(networks) {
        assert!(Referee::read(&fs::read(&path).unwrap()).is_ok());
        assert_eq!(fs::read_to_string(path.with_extension("toml")).unwrap(), network.description());
    }
    assert_eq!(fs::read_dir(folder.0.join("to")).unwrap().count(), 4);
}

/// `GRADLESS_AUTHORS` says where the authors' networks are as ONNX files with their own names of parameters.
#[test]
fn the_authors_networks_come_back_with_the_same_scores() {
    let Some(authors) = std::env::var_os("GRADLESS_AUTHORS").map(PathBuf::from) else {
        testkit::skip("the authors' own networks: GRADLESS_AUTHORS does not say where they are");
        return;
    };
    for network in Network::ALL {
        let theirs = fs::read(authors.join(network.name()).with_extension("onnx")).unwrap();
        let theirs = Referee::read(&theirs).unwrap();
        let ours = Referee::read(&onnx(network, &theirs.weights()).unwrap()).unwrap();
        let count: usize = theirs.input_shape().iter().product();
        for seed in 0..3 {
            let image: Vec<f64> =
                (0..count).map(|place| ((place + seed) * 7919 % 1009) as f64 / 1009.0).collect();
            assert_eq!(ours.scores(&image), theirs.scores(&image), "{}", network.name());
        }
    }
}

/// The built-in recipe is the list that was made with the authors' own scripts, on both data sets.
#[cfg(feature = "reproduce")]
#[test]
fn the_recipe_chooses_the_papers_images() {
    use gradless_models::{Onnx, OnnxOptions};
    use gradless_paper::data::{DataSet, Split, cifar10, mnist};
    use gradless_paper::reproduce::{Order, choose};

    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let Some((authors, data)) = folder("GRADLESS_AUTHORS").zip(folder("GRADLESS_DATA")) else {
        testkit::skip(
            "the paper's images: GRADLESS_AUTHORS and GRADLESS_DATA do not say where networks and data are",
        );
        return;
    };
    let list = fs::read_to_string(authors.join("images.json")).unwrap();
    for network in Network::ALL {
        let set = network.set();
        let read = if set == DataSet::Mnist { mnist } else { cifar10 };
        let Ok(test) = read(&data.join(set.name()), Split::Test) else {
            testkit::skip(format!("the paper's images of {}: GRADLESS_DATA does not hold them", set.title()));
            continue;
        };
        let theirs = fs::read(authors.join(network.name()).with_extension("onnx")).unwrap();
        let ours = onnx(network, &Referee::read(&theirs).unwrap().weights()).unwrap();
        let description = Some(gradless_models::Description::parse(network.description()).unwrap());
        let options = OnnxOptions { description, ..OnnxOptions::default() };
        let model = Onnx::from_bytes(network.name(), &ours, &options).unwrap();
        let Order::Listed(wanted) = Order::parse(&list, set).unwrap() else {
            unreachable!("a list is a list")
        };
        let chosen = choose(&model, set, &test, &Order::Paper, 20, 1).unwrap();
        for (class, wanted) in wanted.iter().enumerate() {
            let of_class = chosen.images.iter().filter(|image| usize::from(image.class) == class);
            let found: Vec<usize> = of_class.map(|image| image.index).collect();
            assert_eq!(found, *wanted, "{} {class}", set.name());
        }
        assert!(chosen.accuracy() > 0.85, "{}", chosen.accuracy());
    }
}
