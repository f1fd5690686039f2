package dev.sluice.harness.profile;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.latency.ProfileFile;
import dev.sluice.executor.latency.ProfilePlan;
import dev.sluice.executor.latency.ProfileRow;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.HostLoad;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Rows of a profile in their file. Rows of earlier commands are not measured again. */
final class ProfileRows {
  static final String BEGAN = "began";
  static final String MACHINE = "machine";

  private final Path file;
  private final ProfileFile.@Nullable Contents before;
  private final Set<ProfileRow.Slot> measured = new HashSet<>();

  private ProfileRows(Path file, ProfileFile.@Nullable Contents before) {
    this.file = file;
    this.before = before;
    if (before != null) {
      before.rows().forEach(row -> measured.add(row.slot()));
    }
  }

  /** Reads the rows of earlier commands, if there are any; a line cut off at the end is removed. */
  static ProfileRows open(Path file, Console console) throws UserMistakeException, IOException {
    if (!Files.exists(file)) {
      return new ProfileRows(file, null);
    }
    if (Files.isRegularFile(file) && Files.isWritable(file) && ProfileFile.mend(file)) {
      console.line("A line at the end of " + file + " was cut off; it is measured again.");
    }
    return new ProfileRows(file, ProfileFile.hasRows(file) ? ProfileFile.read(file) : null);
  }

  Set<ProfileRow.Slot> measured() {
    return Set.copyOf(measured);
  }

  /** The number of the plan's repeats that were not measured before this command. */
  long missing(ProfilePlan plan, String deviceKind) {
    long there =
        measured.stream()
            .filter(
                slot ->
                    slot.deviceKind().equals(deviceKind)
                        && slot.pass() <= plan.passes()
                        && slot.repeat() <= plan.repeats()
                        && plan.keys().contains(slot.key()))
            .count();
    return plan.rows() - there;
  }

  /** Refuses rows of other lanes or of another machine: a mix of them would describe neither. */
  void checkSameLanes(String deviceKind) throws UserMistakeException, IOException {
    if (before == null) {
      return;
    }
    String other =
        before.rows().stream()
            .map(ProfileRow::deviceKind)
            .filter(kind -> !kind.equals(deviceKind))
            .findFirst()
            .orElse(null);
    String machine = before.said(MACHINE);
    if (other == null && (machine == null || machine.equals(HostLoad.machine()))) {
      return;
    }
    throw new UserMistakeException(
        file.toString(),
        other != null
            ? "the profile there is of device kind (%s), and these lanes are of (%s)"
                .formatted(other, deviceKind)
            : "the profile there was measured on (%s), and this is (%s)"
                .formatted(machine, HostLoad.machine()),
        "you want another --results, or to move that file away");
  }

  /** Returns when the profile began, in nanoseconds since 1970; makes its file if it has no row. */
  long began(long nowEpochNs, ProfilePlan plan, int repeats, Path config)
      throws IOException, UserMistakeException {
    if (before != null) {
      String said = before.said(BEGAN);
      try {
        return said == null ? nowEpochNs : Instant.parse(said).toEpochMilli() * 1_000_000;
      } catch (DateTimeParseException e) {
        throw new UserMistakeException(
            file.toString(),
            "the comment began (" + said + ") is no time",
            "it was edited; you want another --results",
            e);
      }
    }
    Files.deleteIfExists(file); // the file has no row
    ProfileFile.create(
        file,
        List.of(
            "Service times, a row for each repeat. Passes were apart in time, each in an order"
                + " drawn from seed "
                + plan.seed()
                + ".",
            "busy_lanes - 1 other lanes ran batches of the same keys meanwhile, and an embedded"
                + " Kafka took and gave the records of such batches.",
            BEGAN + ": " + Instant.ofEpochMilli(nowEpochNs / 1_000_000),
            MACHINE + ": " + HostLoad.machine(),
            "experiment: " + config.getFileName(),
            "planned: %d keys, %d repeats of each in %d passes"
                .formatted(plan.keys().size(), plan.passes() * repeats, plan.passes())));
    return nowEpochNs / 1_000_000 * 1_000_000;
  }

  void append(List<ProfileRow> rows) throws IOException {
    ProfileFile.append(file, rows);
  }

  void comment(String words) throws IOException {
    ProfileFile.comment(file, words);
  }

  /** Reads all present rows. Where nothing was measured, returns null and removes the file. */
  ProfileFile.@Nullable Contents all() throws UserMistakeException, IOException {
    if (!ProfileFile.hasRows(file)) {
      Files.delete(file);
      return null;
    }
    return ProfileFile.read(file);
  }
}
