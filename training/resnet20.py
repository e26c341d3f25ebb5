"""Trains ResNet20 on CIFAR-10 with PyTorch and exports it to ONNX.

A cross-check, not the way the shipped network is made: that is `gradless train resnet20`, in Rust. This script says the
same in PyTorch, for those who prefer it, and lets the accuracy of one trainer be held against the other's.

    python -m pip install torch onnx numpy
    python training/resnet20.py --data DIR

DIR holds `data_batch_1.bin` to `data_batch_5.bin` and `test_batch.bin`, the binary version of CIFAR-10.

The network is that of He et al. 2016, section 4.2: a 3 x 3 convolution, three stages of three basic blocks with 16, 32
and 64 channels, batch norm, ReLU after the first convolution, shortcuts without weights (option A). Its input is
normalised by channel; mean and deviation are stored in the file.
"""
import argparse
import pathlib
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

MEAN, STD = (0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010)
RECORD = 1 + 3 * 32 * 32


class Shortcut(nn.Module):
    """Every second pixel, and as many channels of zeros before as behind: a 1 x 1 convolution of zeros and ones.

    Slicing and padding give the same values, but their ONNX form is slower in onnxruntime and depends on the exporter.
    """

    def __init__(self, inputs, outputs):
        super().__init__()
        kernel = torch.zeros(outputs, inputs, 1, 1)
        before = (outputs - inputs) // 2
        kernel[torch.arange(inputs) + before, torch.arange(inputs)] = 1
        self.register_buffer("kernel", kernel, persistent=False)

    def forward(self, x):
        return F.conv2d(x, self.kernel, stride=2)


class Block(nn.Module):
    """Two convolutions beside a shortcut."""

    def __init__(self, inputs, outputs):
        super().__init__()
        wider = inputs != outputs
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride=2 if wider else 1, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.shortcut = Shortcut(inputs, outputs) if wider else nn.Identity()

    def forward(self, x):
        y = F.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        return F.relu(y + self.shortcut(x))


def resnet20():
    channels = [16, 16, 16, 16, 32, 32, 32, 64, 64, 64]
    network = nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1, bias=False),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        *[Block(inputs, outputs) for inputs, outputs in zip(channels, channels[1:])],
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(64, 10),
    )
    for module in network.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, mode="fan_out")
    return network.to(memory_format=torch.channels_last)


def read(folder, names):
    """Normalised images and classes."""
    records = np.concatenate([np.fromfile(folder / name, np.uint8).reshape(-1, RECORD) for name in names])
    pixels = torch.from_numpy(records[:, 1:].reshape(-1, 3, 32, 32)).float() / 255
    mean, std = (torch.tensor(numbers).view(3, 1, 1) for numbers in (MEAN, STD))
    return (pixels - mean) / std, torch.from_numpy(records[:, 0].astype(np.int64))


def augmented(images, generator):
    """Each image shifted by up to four pixels, zeros coming in, and mirrored half of the time."""
    count = len(images)
    padded = F.pad(images, (4, 4, 4, 4))
    top, left = torch.randint(0, 9, (2, count, 1), generator=generator)
    rows = top + torch.arange(32)
    columns = left + torch.arange(32)
    mirrored = torch.rand(count, 1, generator=generator) < 0.5
    columns = torch.where(mirrored, columns.flip(1), columns)
    index = torch.arange(count)[:, None, None]
    # Indexing with arrays on both sides of a slice puts the channels last.
    return padded[index, :, rows[:, :, None], columns[:, None, :]].permute(0, 3, 1, 2)


def accuracy(network, images, labels):
    network.eval()
    with torch.no_grad():
        parts = zip(images.split(500), labels.split(500))
        right = sum((network(x).argmax(1) == y).sum().item() for x, y in parts)
    return right / len(labels)


def train(network, images, labels, test, options):
    generator = torch.Generator().manual_seed(options.seed)
    steps = options.epochs * (len(images) // options.batch)
    sgd = torch.optim.SGD(network.parameters(), lr=options.rate, momentum=0.9, nesterov=True, weight_decay=5e-4)
    # Up for the first fifth, then down to nothing.
    schedule = torch.optim.lr_scheduler.OneCycleLR(sgd, options.rate, total_steps=steps, pct_start=0.2)
    for epoch in range(options.epochs):
        began, total = time.time(), 0.0
        network.train()
        order = torch.randperm(len(images), generator=generator)
        batches = order[: len(order) // options.batch * options.batch].split(options.batch)
        for batch in batches:
            x = augmented(images[batch], generator).contiguous(memory_format=torch.channels_last)
            loss = F.cross_entropy(network(x), labels[batch])
            sgd.zero_grad()
            loss.backward()
            sgd.step()
            schedule.step()
            total += loss.item()
        right, seconds = accuracy(network, *test), time.time() - began
        mean = total / len(batches)
        print(f"epoch {epoch + 1}: loss {mean:.4f}, test accuracy {right:.2%}, {seconds:.0f} s", flush=True)


def export(network, path, notes):
    """The file has a free batch axis, and the notes that are needed to make it again."""
    import onnx

    network = network.to(memory_format=torch.contiguous_format).eval()
    torch.onnx.export(
        network,
        (torch.zeros(2, 3, 32, 32),),
        path,
        input_names=["input"],
        output_names=["scores"],
        dynamic_axes={"input": {0: "batch"}, "scores": {0: "batch"}},
        opset_version=17,
        dynamo=False,
    )
    model = onnx.load(path)
    onnx.helper.set_model_props(model, notes)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)


def main():
    parser = argparse.ArgumentParser(description="Trains ResNet20 on CIFAR-10 and exports it to ONNX.")
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder of the binary files")
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--rate", type=float, default=0.2, help="largest learning rate")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("resnet20.onnx"))
    options = parser.parse_args()

    torch.manual_seed(options.seed)
    network = resnet20()
    images, labels = read(options.data, [f"data_batch_{i}.bin" for i in range(1, 6)])
    test = read(options.data, ["test_batch.bin"])
    train(network, images, labels, test, options)
    right = accuracy(network, *test)
    notes = {
        "made_by": f"training/resnet20.py, torch {torch.__version__}",
        "seed": str(options.seed),
        "epochs": str(options.epochs),
        "test_accuracy": f"{right:.4f}",
        "mean": " ".join(map(str, MEAN)),
        "std": " ".join(map(str, STD)),
    }
    export(network, str(options.out), notes)
    print(f"{options.out}: test accuracy {right:.2%}")


if __name__ == "__main__":
    main()
