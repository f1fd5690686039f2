package dev.sluice.planning.plan;

import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.file.Section;
import dev.sluice.contract.file.Value;
import dev.sluice.contract.file.Value.Entry;
import dev.sluice.contract.file.Value.Mapping;
import dev.sluice.contract.file.Value.Scalar;
import dev.sluice.contract.file.Value.Sequence;
import dev.sluice.planning.plan.PlanningFiles.Asked;
import dev.sluice.planning.plan.ProfiledType.Certainty;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads the types of device_types.yml that were measured with the asked model. */
final class TypesReader {
  private static final Set<String> KEYS = Set.of("bw_Mbps", "mem_MB", "model_profiles");
  private static final Set<String> PROFILE_KEYS =
      Set.of("batch_size", "dtype", "time_s", "time_spread", "whole_s");

  private final Asked asked;
  private final int layers;
  private final Problems problems;
  private final Set<String> known = new TreeSet<>();

  TypesReader(Asked asked, int layers, Problems problems) {
    this.asked = asked;
    this.layers = layers;
    this.problems = problems;
  }

  List<String> known() {
    return List.copyOf(known);
  }

  /** The types with the asked profile, in the order of the file. */
  List<ProfiledType> read(Mapping root, Map<String, List<String>> hosts) {
    List<ProfiledType> types = new ArrayList<>();
    root.entries()
        .forEach(
            (name, entry) -> {
              ProfiledType type = read(name, entry, hosts.getOrDefault(name, List.of()));
              if (type == null) {
                problems.warn(
                    entry.keyPlace(),
                    "type (%s) is left out: it has no profile of model (%s) at %s"
                        .formatted(name, asked.model(), asked.profile()));
              } else {
                types.add(type);
              }
            });
    return types;
  }

  private @Nullable ProfiledType read(String name, Entry entry, List<String> hosts) {
    if (!(entry.value() instanceof Mapping mapping)) {
      if (!(entry.value() instanceof Scalar scalar) || !scalar.missing()) {
        problems.error(
            entry.value().place(),
            name + " (" + Section.written(entry.value()) + ") must be a mapping of keys to values",
            "its bw_Mbps and mem_MB should stand below it, indented by two spaces");
      }
      return null;
    }
    Section in = Section.lenient(name + ".", mapping, problems);
    in.end(KEYS);
    Mapping profiles = in.mapping("model_profiles");
    Section profile = profiles == null ? null : profile(name, profiles);
    if (profile == null) {
      return null;
    }
    var lists = new NumberList(profile, problems);
    List<Double> seconds = lists.read("time_s", false);
    lists.checkLength("time_s", seconds.size(), layers);
    Range any = Range.within(0, NumberList.MOST);
    double bandwidthMbps = in.required("bw_Mbps", any, "1000");
    double memoryMb = in.required("mem_MB", any, "2048");
    var certainty =
        new Certainty(
            profile.numberOrNull("time_spread", any), profile.numberOrNull("whole_s", any));
    return new ProfiledType(name, bandwidthMbps, memoryMb, seconds, hosts, certainty);
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
      String dtype = profile.requiredText("dtype", "torch.float32");
      var read = new Asked(asked.model(), dtype, batchSize, asked.compatible());
      Place earlier = placeByProfile.putIfAbsent(read.profile(), item.place());
      if (earlier != null) {
        problems.error(
            item.place(),
            "%s has a second profile at %s, the first at %s"
                .formatted(in.name(asked.model()), read.profile(), earlier),
            "one of the two should be removed");
      }
      known.add(read.profile());
      found = read.profile().equals(asked.profile()) ? profile : found;
    }
    return found;
  }
}
