package dev.sluice.executor.model;

import ai.djl.Device;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.UserMistakeException.Problem;
import dev.sluice.executor.model.Engines.Backend;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The devices that each backend of an executor computes on: the processor, or CUDA devices that are
 * dealt to the lanes in turn. An engine uses CUDA only if its native library was built for it.
 *
 * <p>This code was tried only on machines without a GPU. The choice of devices is tested with
 * made-up answers of the engines; it is not tested that models load, run and are fast on a real
 * CUDA device.
 */
public final class Devices {
  private static final String CPU = "cpu";
  private static final String CUDA = "cuda";

  private final Map<String, List<Device>> byBackend;

  private Devices(Map<String, List<Device>> byBackend) {
    this.byBackend = byBackend;
  }

  /** The processor, for each backend. */
  public static Devices processor(List<String> backends) {
    Map<String, List<Device>> byBackend = new LinkedHashMap<>();
    backends.forEach(backend -> byBackend.put(backend, List.of(Device.cpu())));
    return new Devices(byBackend);
  }

  /**
   * Chooses a device for each backend.
   *
   * @param location where a mistake in {@code wanted} is reported
   * @param wanted wanted device: {@code cpu}; {@code auto}: CUDA for each backend that finds it,
   *     else the processor; {@code cuda}: all CUDA devices; {@code cuda:N}: the one of that number,
   *     from 0
   * @param lanes lanes of the executor; no more devices than lanes are used
   * @param cudaDevices number of CUDA devices that a backend's engine can use, by the backend's
   *     name; called only if it matters
   */
  public static Devices choose(
      String location,
      String wanted,
      List<String> backends,
      int lanes,
      ToIntFunction<String> cudaDevices)
      throws UserMistakeException {
    if (wanted.equals(CPU)) {
      return processor(backends);
    }
    Map<String, List<Device>> byBackend = new LinkedHashMap<>();
    List<Problem> problems = new ArrayList<>();
    for (String backend : backends) {
      int found = cudaDevices.applyAsInt(backend);
      int one = wanted.startsWith(CUDA + ":") ? number(wanted) : -1;
      if (found > Math.max(0, one)) {
        byBackend.put(
            backend,
            one >= 0
                ? List.of(Device.gpu(one))
                : IntStream.range(0, Math.min(found, lanes)).mapToObj(Device::gpu).toList());
      } else if (wanted.equals("auto")) {
        byBackend.put(backend, List.of(Device.cpu()));
      } else {
        problems.add(missing(location, wanted, backend, found));
      }
    }
    UserMistakeException.throwIfAny(problems);
    return new Devices(byBackend);
  }

  private static int number(String wanted) {
    return Integer.parseInt(wanted.substring(CUDA.length() + 1));
  }

  private static Problem missing(String location, String wanted, String backend, int found) {
    return new Problem(
        location,
        "lanes.device (%s) is not there: %s finds %s"
            .formatted(
                wanted,
                backend,
                found == 0
                    ? "no CUDA device"
                    : found == 1
                        ? "one CUDA device, cuda:0"
                        : found + " CUDA devices, from cuda:0"),
        found == 0
            ? "its CUDA library or the GPU's driver is missing (see docs/devices.md);"
                + " lanes.device: auto takes the cpu then"
            : "you meant cuda:" + (found - 1));
  }

  /**
   * Refuses precisions that a device cannot run, or can run only slowly.
   *
   * @param location where a mistake in the precisions is reported
   * @throws UserMistakeException with each combination that is refused
   */
  public void checkPrecisions(String location, List<String> precisions, boolean allowSlow)
      throws UserMistakeException {
    List<Problem> problems = new ArrayList<>();
    byBackend.forEach(
        (backend, devices) -> {
          boolean onProcessor = !devices.get(0).isGpu();
          if (precisions.contains("bf16") && Backend.named(backend) == Backend.ONNX) {
            problems.add(
                new Problem(
                    location,
                    "precision_modes (bf16) cannot run on onnx: it has no convolution in bf16",
                    "backends_enabled should be [pytorch]"));
          }
          if (precisions.contains("fp16") && onProcessor && !allowSlow) {
            problems.add(
                new Problem(
                    location,
                    "precision_modes (fp16) is slower than fp32 on a cpu, where "
                        + backend
                        + " runs here",
                    "allow_slow_precision: true runs it all the same"
                        + (Backend.named(backend) == Backend.PYTORCH
                            ? "; bf16 is the fast one there"
                            : "")));
          }
        });
    UserMistakeException.throwIfAny(problems);
  }

  /** Lane i computes on the device at index i mod their number. */
  List<Device> of(String backend) {
    List<Device> devices = byBackend.get(backend);
    if (devices == null) {
      throw new IllegalArgumentException(
          "no device was chosen for " + backend + ", only for " + byBackend.keySet());
    }
    return devices;
  }

  /**
   * Returns the device kind under which service times are kept: {@code cpu}, {@code cuda}, or both
   * joined by + if the backends compute on different devices.
   */
  public String kind() {
    Set<String> kinds = new LinkedHashSet<>();
    byBackend.values().forEach(devices -> kinds.add(devices.get(0).isGpu() ? CUDA : CPU));
    return kinds.stream().sorted().collect(Collectors.joining("+"));
  }

  /** Returns, for example, {@code cpu}, or {@code pytorch on cuda:0 and cuda:1, onnx on cpu}. */
  @Override
  public String toString() {
    return kind().equals(CPU)
        ? CPU
        : byBackend.entrySet().stream()
            .map(
                entry ->
                    entry.getKey()
                        + " on "
                        + entry.getValue().stream()
                            .map(device -> device.isGpu() ? CUDA + ":" + device.getDeviceId() : CPU)
                            .collect(Collectors.joining(" and ")))
            .collect(Collectors.joining(", "));
  }
}
