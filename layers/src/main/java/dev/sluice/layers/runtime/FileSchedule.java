package dev.sluice.layers.runtime;

import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.UserMistakeException.Problem;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.Workloads;
import dev.sluice.layers.schedule.Kind;
import dev.sluice.layers.schedule.LayerSchedule;
import dev.sluice.layers.schedule.Layers;
import dev.sluice.layers.schedule.Operation;
import dev.sluice.layers.schedule.ScheduleCheck;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A schedule in a file, as pure code takes it. */
record FileSchedule(Path file, ScheduleFile read) {
  /**
   * Reads a file, for whichever built-in model it names.
   *
   * @throws UserMistakeException if the file is no schedule of a built-in model
   */
  static FileSchedule read(Path file) throws UserMistakeException {
    Map<String, List<String>> layers = new TreeMap<>();
    Stream.concat(Workloads.splittable().stream(), Workloads.trainable().stream())
        .forEach(
            model ->
                layers.put(
                    model,
                    Workloads.network(model).blocks().stream().map(Network.Block::name).toList()));
    return new FileSchedule(file, ScheduleFile.read(file, layers));
  }

  String model() {
    return read.model();
  }

  /** True if a layer is computed twice in a step, as in training. */
  boolean isOfTraining() {
    long computes = read.steps().stream().filter(entry -> isCompute(entry)).count();
    long computed =
        read.steps().stream()
            .filter(entry -> isCompute(entry))
            .map(ScheduleFile.Entry::layer)
            .distinct()
            .count();
    return computes > computed;
  }

  private static boolean isCompute(ScheduleFile.Entry entry) {
    return kind(entry) == Kind.COMPUTE;
  }

  private static Kind kind(ScheduleFile.Entry entry) {
    return Kind.valueOf(entry.operation().toUpperCase(Locale.ROOT));
  }

  /**
   * Returns the schedule.
   *
   * @throws UserMistakeException if it is of another model, with all faults if it breaks a rule
   */
  LayerSchedule checked(String model, Layers layers, long budgetBytes) throws UserMistakeException {
    if (!model.equals(read.model())) {
      throw new UserMistakeException(
          read.modelPlace(),
          "the schedule is one of (%s), and the run is one of (%s)".formatted(read.model(), model),
          "you meant ./sluice layers plan " + model);
    }
    var schedule =
        new LayerSchedule(operations(read.first(), layers), operations(read.steps(), layers));
    List<Problem> problems =
        ScheduleCheck.faults(schedule, layers, budgetBytes).stream()
            .map(
                fault ->
                    new Problem(
                        new Place(file.toString(), fault.line()).toString(),
                        fault.what(),
                        fault.maybe()))
            .toList();
    if (!problems.isEmpty()) {
      throw new UserMistakeException(problems);
    }
    return schedule;
  }

  private static List<Operation> operations(List<ScheduleFile.Entry> entries, Layers layers) {
    return entries.stream()
        .map(
            entry ->
                new Operation(
                    kind(entry), layers.names().indexOf(entry.layer()), entry.place().line()))
        .toList();
  }

  /** The file's text of a schedule that was made. */
  static String text(String model, Layers layers, LayerSchedule schedule) {
    return ScheduleFile.text(
        model, lines(schedule.first(), layers), lines(schedule.step(), layers));
  }

  private static List<String> lines(List<Operation> operations, Layers layers) {
    return operations.stream()
        .map(
            operation ->
                operation.kind().name().toLowerCase(Locale.ROOT)
                    + ": "
                    + layers.names().get(operation.layer()))
        .toList();
  }
}
