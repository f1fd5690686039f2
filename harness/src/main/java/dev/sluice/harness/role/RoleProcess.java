package dev.sluice.harness.role;

import dev.sluice.contract.event.RoleJoined;
import dev.sluice.contract.event.RoleJoined.Role;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RunRegister;
import dev.sluice.contract.log.RunTopics;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.LiveExperiment;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.process.LogFile;
import dev.sluice.harness.process.News;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.process.StoppedException;
import dev.sluice.harness.serve.RoleMetrics;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The host of one role in a process of its own, from its settings to its exit status. */
final class RoleProcess extends Host {
  final RoleSettings settings;
  final RunFrame frame;
  final KafkaAccess kafka;
  private @Nullable RoleMetrics metrics;

  interface Work {
    /** Does what the role does, and returns the exit status, unless a signal came. */
    int run(RoleProcess process) throws Exception;
  }

  private RoleProcess(RoleSettings settings, RunFrame frame, KafkaAccess kafka) {
    super(frame.runId(), frame.console());
    this.settings = settings;
    this.frame = frame;
    this.kafka = kafka;
  }

  /** Runs a role: 0 when the run has ended, 1 if it or the role failed, 130 after Ctrl-C. */
  static int run(
      Role role, RoleSettings settings, Console console, Consumer<String> onInput, Work work)
      throws Exception {
    try {
      settings.check();
      var kafka = KafkaAccess.of("--bootstrap", settings.bootstrap(), settings.kafkaConfig());
      if (role != Role.ANALYZE
          && !settings.child()) { // analytics knows better where the folder goes
        RunFolder.refuseFinished(RunFolder.results(null), settings.runId());
      }
      var parsed =
          LiveExperiment.read(settings.config(), settings.overrides(), /* processes= */ true);
      var frame = RunFrame.of(parsed, settings.runId(), console);
      var process = new RoleProcess(settings, frame, kafka);
      parsed.warnings().forEach(console::line);
      return process.runInProcess(settings.child(), onInput, () -> process.served(role, work));
    } finally {
      console.endLiveLine();
    }
  }

  private int served(Role role, Work work) throws Exception {
    String name = role.name().toLowerCase(Locale.ROOT);
    // A parent shows the output of analytics; its log has a file of its own.
    boolean shown = settings.child() && role == Role.ANALYZE;
    try (var log = shown ? null : LogFile.toStandardError(kafka.secrets());
        var served = new RoleMetrics(settings.metrics(), name, frame.runId())) {
      metrics = served;
      served.say(frame.console());
      int status = work.run(this);
      closeParts();
      return status;
    }
  }

  /** Waits for Kafka, makes the run's topics unless they are there, and opens the register. */
  RunRegister connect() throws UserMistakeException, StoppedException, InterruptedException {
    boolean answered =
        kafka.awaitAnswer(
            settings.waitLimit(),
            () -> frame.console().line("waiting for Kafka at " + kafka.bootstrapServers()),
            this::stopRequested);
    if (!answered) {
      throw new StoppedException();
    }
    RunTopics.ensure(
        frame.topics(), frame.shards(), kafka.clients(), frame.clock()::monotonicNs, frame.pacer());
    RunRegister register = openRegister(frame, kafka);
    var unused = register.ended().thenAccept(ended -> end(Optional.of(ended)));
    return register;
  }

  /** Says that the role has joined, and tells the parent. */
  @Override
  public RoleJoined joined(RoleJoined entry) {
    frame
        .console()
        .line(
            "joined the run %s as %s%s"
                .formatted(
                    frame.runId(),
                    entry.instance(),
                    entry.shard() == null ? "" : ", shard " + entry.shard()));
    News.up(entry.instance());
    return super.joined(entry);
  }

  RoleMetrics metrics() {
    if (metrics == null) {
      throw new IllegalStateException("not running");
    }
    return metrics;
  }

  /** Waits until the run has ended, and returns the exit status that follows from it. */
  int awaitRunEnd() throws RoleFailedException, StoppedException, InterruptedException {
    if (!register().started().isDone()) {
      frame.console().line("waiting for the run to begin");
    }
    RunEnded ended = awaitEnd();
    if (ended.failure() != null) {
      News.error(
          "sluice: error: the run was given up: "
              + ended.failure()
              + ".\n  Maybe its folder, or what the other roles print, says more.");
      return ExitStatus.BUG;
    }
    return ExitStatus.DONE;
  }

  @Override
  protected void stopBeforeLoad() {
    frame.console().line("Leaving. Again to stop at once.");
    super.stopBeforeLoad();
  }

  boolean ending() {
    return stopRequested() || isOver();
  }
}
