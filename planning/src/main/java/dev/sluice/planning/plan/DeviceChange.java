package dev.sluice.planning.plan;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.planning.file.ProfiledType;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Devices with hosts of one type added or taken away: {@code RCC-VE-C2558+2}. */
record DeviceChange(String type, int hosts) {
  private static final Pattern FORM = Pattern.compile("(.+)([+-])([0-9]{1,4})");

  static DeviceChange parse(String text) throws UserMistakeException {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new UserMistakeException(
          "--what-if",
          "(" + text + ") is no device type with a number of hosts more or fewer",
          "you meant a form like TYPE+2 or TYPE-1");
    }
    int hosts = Integer.parseInt(matcher.group(3));
    return new DeviceChange(matcher.group(1), matcher.group(2).equals("-") ? -hosts : hosts);
  }

  /** The types after the change: hosts are added behind those there, and taken from the end. */
  List<ProfiledType> of(List<ProfiledType> types) throws UserMistakeException {
    List<String> names = types.stream().map(ProfiledType::name).toList();
    int place = names.indexOf(type);
    if (place < 0) {
      throw new UserMistakeException(
          "--what-if",
          "the device type (" + type + ") is unknown, or it was left out",
          NearestName.advice(type, names, "device types"));
    }
    ProfiledType before = types.get(place);
    List<String> changed = new ArrayList<>(before.hosts());
    if (changed.size() + hosts < 0) {
      throw new UserMistakeException(
          "--what-if",
          "type (%s) has (%d) hosts, fewer than (%d)".formatted(type, changed.size(), -hosts),
          "you meant " + type + "-" + changed.size());
    }
    for (int i = 1; i <= hosts; i++) {
      changed.add(type + "+" + i);
    }
    List<ProfiledType> all = new ArrayList<>(types);
    all.set(
        place,
        new ProfiledType(
            type,
            before.bandwidthMbps(),
            before.memoryMb(),
            before.layerSeconds(),
            changed.subList(0, before.hosts().size() + hosts),
            before.certainty()));
    return all;
  }

  /** The change as it is written. */
  String text() {
    return type + (hosts < 0 ? "" : "+") + hosts;
  }
}
