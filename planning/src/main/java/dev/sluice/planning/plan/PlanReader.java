package dev.sluice.planning.plan;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.file.Section;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.Value;
import dev.sluice.contract.file.Value.Entry;
import dev.sluice.contract.file.Value.Mapping;
import dev.sluice.contract.file.Value.Scalar;
import dev.sluice.contract.file.Value.Sequence;
import dev.sluice.planning.plan.PlanningFiles.Asked;
import dev.sluice.planning.split.PlanProblem;
import dev.sluice.planning.split.PlanProblem.DeviceType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads the asked model, and the types of devices that were measured with it. */
final class PlanReader {
  private static final Set<String> MODEL_KEYS =
      Set.of("layers", "mem_MB", "parameters_in", "parameters_out");
  private static final Set<String> TYPE_KEYS = Set.of("bw_Mbps", "mem_MB", "model_profiles");
  private static final Set<String> PROFILE_KEYS =
      Set.of("batch_size", "dtype", "time_s", "time_spread", "whole_s");
  private static final int LAYERS_MAX = 100_000;

  /** Bytes of an MB, and bits of a Mbit, in the files. */
  private static final double MEGA = 1024 * 1024;

  /** The largest time, memory or bandwidth that makes sense. */
  private static final double MOST = 1e12;

  /** Most values that cross a cut: as bytes of all cuts of a batch they still fit into a long. */
  private static final long VALUES_MAX = 10_000_000_000L;

  private static final Range ANY = Range.within(0, MOST);

  private final Asked asked;

  /** Mistakes in the file that is read now. */
  private Problems problems;

  private int layers;
  private List<Double> layerBytes = List.of();
  private final List<Long> cutBytes = new ArrayList<>();
  private final List<DeviceType> types = new ArrayList<>();

  /** How sure the times are, by type. */
  final List<Certainty> certainties = new ArrayList<>();

  /** Profiles of the asked model, in words. */
  final Set<String> known = new TreeSet<>();

  PlanReader(Asked asked, Problems inModels) {
    this.asked = asked;
    this.problems = inModels;
  }

  /** What was read, of files without a mistake. */
  PlanProblem problem() {
    return new PlanProblem(layerBytes, cutBytes, asked.buffersIn(), asked.buffersOut(), types);
  }

  /**
   * Reads the asked model; mistakes in it are noted.
   *
   * @throws UserMistakeException if there is no such model, or it cannot be read on with
   */
  void readModel(Mapping root) throws UserMistakeException {
    Entry entry = root.entries().get(asked.model());
    if (entry == null) {
      throw new UserMistakeException(
          root.place(),
          "the model (" + asked.model() + ") is unknown",
          NearestName.advice(asked.model(), root.entries().keySet(), "models"));
    }
    Value value = entry.value();
    if (!(value instanceof Mapping mapping)) {
      throw new UserMistakeException(
          value.place(),
          asked.model() + " (" + Section.written(value) + ") must be a mapping of keys to values",
          "its layers and mem_MB should stand below it, indented by two spaces");
    }
    Section in = Section.lenient(asked.model() + ".", mapping, problems);
    in.end(MODEL_KEYS);
    layers = in.requiredWhole("layers", 0, LAYERS_MAX, "48");
    if (layers == 0 && in.has("layers") && problems.isEmpty()) {
      problems.error(
          in.place("layers"),
          "the model (" + asked.model() + ") has no layers",
          "you meant another model: " + String.join(", ", root.entries().keySet()));
    }
    if (layers == 0) {
      problems.throwIfAny(); // without layers no list can be judged
    }
    List<Double> memoryMb = numbers(in, "mem_MB", false);
    checkLength(in, "mem_MB", memoryMb.size());
    layerBytes = memoryMb.stream().map(mb -> mb * MEGA).toList();
    if (in.find("parameters_in") == null) {
      problems.error(
          in.place("parameters_in"),
          in.name("parameters_in") + " is missing",
          "a line should be added: parameters_in: 150528");
    }
    long bytesPerValue = asked.batchSize() * asked.bytesPerValue();
    cutBytes.add(in.whole("parameters_in", 0L, 0, VALUES_MAX) * bytesPerValue);
    List<Double> written = numbers(in, "parameters_out", true);
    if (asked.compatible() && !written.isEmpty() && written.size() < layers) {
      problems.warn(
          in.place("parameters_out"),
          "%s has (%d) values for (%d) layers: they are repeated"
              .formatted(in.name("parameters_out"), written.size(), layers));
    } else {
      checkLength(in, "parameters_out", written.size());
    }
    for (int i = 0; i < layers && !written.isEmpty(); i++) {
      cutBytes.add(written.get(i % written.size()).longValue() * bytesPerValue);
    }
  }

  /** Reads the names of the hosts of each type. */
  static Map<String, List<String>> hosts(Mapping root, Problems problems) {
    Map<String, List<String>> hosts = new LinkedHashMap<>();
    Map<String, Place> placeByHost = new HashMap<>();
    root.entries()
        .forEach(
            (type, entry) -> {
              List<String> names = new ArrayList<>();
              for (Value item : hostsOf(type, entry.value(), problems)) {
                if (!(item instanceof Scalar host) || host.missing() || host.text().isBlank()) {
                  problems.error(
                      item.place(), "a host of " + type + " must be a name", "one name is meant");
                  continue;
                }
                Place earlier = placeByHost.putIfAbsent(host.text(), item.place());
                if (earlier != null) {
                  problems.error(
                      item.place(),
                      "host (%s) is here a second time, first at %s"
                          .formatted(host.text(), earlier),
                      "one of the two should be removed");
                }
                names.add(host.text());
              }
              hosts.put(type, names);
            });
    return hosts;
  }

  private static List<Value> hostsOf(String type, Value value, Problems problems) {
    if (value instanceof Sequence list) {
      return list.items();
    }
    if (!(value instanceof Scalar scalar) || !scalar.missing()) {
      problems.error(
          value.place(),
          type + " must be a list of hosts",
          "each host should follow a dash: - host");
    }
    return List.of();
  }

  /** Reads the types with the asked profile, in the order of the file. */
  void readTypes(Mapping root, Map<String, List<String>> hosts, Problems inTypes) {
    problems = inTypes;
    root.entries()
        .forEach(
            (name, entry) -> {
              Section in = type(name, entry.value());
              Mapping profiles = in == null ? null : in.mapping("model_profiles");
              Section profile = profiles == null ? null : profile(name, profiles);
              if (in != null && profile != null) {
                readType(name, in, profile, hosts.getOrDefault(name, List.of()));
              } else {
                problems.warn(
                    entry.keyPlace(),
                    "type (%s) is left out: it has no profile of model (%s) at %s"
                        .formatted(name, asked.model(), asked.profile()));
              }
            });
  }

  private @Nullable Section type(String name, Value value) {
    if (value instanceof Mapping mapping) {
      Section in = Section.lenient(name + ".", mapping, problems);
      in.end(TYPE_KEYS);
      return in;
    }
    if (!(value instanceof Scalar scalar) || !scalar.missing()) {
      problems.error(
          value.place(),
          name + " (" + Section.written(value) + ") must be a mapping of keys to values",
          "its bw_Mbps and mem_MB should stand below it, indented by two spaces");
    }
    return null;
  }

  private void readType(String name, Section in, Section profile, List<String> hosts) {
    List<Double> seconds = numbers(profile, "time_s", false);
    checkLength(profile, "time_s", seconds.size());
    double bitsPerSecond = in.required("bw_Mbps", ANY, "1000") * MEGA;
    double memoryBytes = in.required("mem_MB", ANY, "2048") * MEGA;
    Double spread = profile.numberOrNull("time_spread", ANY);
    Double wholeSeconds = profile.numberOrNull("whole_s", ANY);
    if (problems.isEmpty()) { // else a number may be none
      types.add(new DeviceType(name, hosts, bitsPerSecond, memoryBytes, seconds));
      certainties.add(Certainty.of(spread, wholeSeconds, seconds));
    }
  }

  /** The asked profile; null if there is none, or it has a mistake. */
  private @Nullable Section profile(String type, Mapping profiles) {
    Section in = Section.lenient(type + ".model_profiles.", profiles, problems);
    Sequence list = in.sequence(asked.model());
    if (list == null) {
      return null;
    }
    Section found = null;
    Map<String, Place> placeByProfile = new HashMap<>();
    for (Value item : list.items()) {
      if (!(item instanceof Mapping mapping)) {
        problems.error(
            item.place(),
            in.name(asked.model()) + " (" + Section.written(item) + ") must be a profile",
            "batch_size, dtype and time_s should follow the dash");
        continue;
      }
      Section profile = Section.lenient(in.name(asked.model()) + ".", mapping, problems);
      profile.end(PROFILE_KEYS);
      int batchSize = profile.requiredWhole("batch_size", 1, Asked.BATCH_MAX, "8");
      String read = Asked.profile(profile.requiredText("dtype", "torch.float32"), batchSize);
      Place earlier = placeByProfile.putIfAbsent(read, item.place());
      if (earlier != null) {
        problems.error(
            item.place(),
            "%s has a second profile at %s, the first at %s"
                .formatted(in.name(asked.model()), read, earlier),
            "one of the two should be removed");
      }
      known.add(read);
      found = read.equals(asked.profile()) ? profile : found;
    }
    return found;
  }

  /**
   * The list under a key, of a number for each layer, each finite and at least 0, and whole if
   * asked for; as far as it could be read, and with 0 for what is no number.
   */
  private List<Double> numbers(Section section, String key, boolean whole) {
    Sequence sequence = section.sequence(key);
    if (sequence == null) {
      if (section.find(key) == null) {
        problems.error(
            section.place(key),
            section.name(key) + " is missing",
            "a list with a number for each layer should be added");
      }
      return List.of();
    }
    List<Double> numbers = new ArrayList<>(sequence.items().size());
    for (Value item : sequence.items()) {
      String name =
          "%s, value %d (%s)"
              .formatted(section.name(key), numbers.size() + 1, Section.written(item));
      numbers.add(number(name, item, whole));
    }
    return numbers;
  }

  private double number(String name, Value item, boolean whole) {
    String written = item instanceof Scalar scalar && !scalar.quoted() ? scalar.text() : "";
    if (!Numbers.DECIMAL.matcher(written).matches()) {
      problems.error(
          item.place(),
          name + " must be a finite number",
          item instanceof Scalar scalar && scalar.missing()
              ? "a number is missing between two commas"
              : "its measurement failed and should be made again");
      return 0;
    }
    double number = Double.parseDouble(written);
    double most = whole ? VALUES_MAX : MOST;
    if (number < 0 || number > most || (whole && number != Math.rint(number))) {
      problems.error(
          item.place(),
          name
              + (whole ? " must be a whole number of at least 0" : " must be at least 0")
              + " and at most "
              + Numbers.text(most),
          number < 0 ? "you meant " + Numbers.text(-number) : "its unit is wrong, or a digit is");
      return 0;
    }
    return number + 0.0; // no negative zero
  }

  /** Notes a mistake if a list does not have a number for each layer. */
  private void checkLength(Section section, String key, int length) {
    if (length != layers && section.find(key) instanceof Sequence list) {
      problems.error(
          list.place(),
          "%s has (%d) values for (%d) layers".formatted(section.name(key), length, layers),
          length < layers
              ? "values are missing (" + (layers - length) + "), or layers is wrong"
              : "there are values too many (" + (length - layers) + "), or layers is wrong");
    }
  }
}
