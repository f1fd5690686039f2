package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.replay.Recorder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "record",
    customSynopsis = {
      "./sluice record [--whole] [--salvage] [--force] RUN FILE",
      "./sluice record --topic PREFIX [--bootstrap HOST:PORT] [--kafka-config FILE]",
      "                [--from TIME] [--to TIME] [--fields NAME=FIELD,…] [--whole]",
      "                [--force] FILE"
    },
    description = {
      "Records the requests of a run, or of topics on a Kafka, into a file that replay sends"
          + " again.",
      "Topics are only read: nothing is committed and nothing is created."
    },
    exitCodeList = {
      "0:recorded",
      "1:a bug",
      "2:a mistake in the command or in a file, or the disk is full",
      "130:stopped by Ctrl-C, nothing recorded"
    },
    footer = {
      "  ./sluice record results/quickstart-1 monday.jsonl.gz",
      "  ./sluice record --topic shop-requests --from 2026-11-20T09:00Z --to 10m \\",
      "      --fields time=ts,class=tier,workload=model,samples=images monday.jsonl.gz"
    })
final class RecordCommand implements Callable<Integer> {
  private static final String BOOTSTRAP = "localhost:9092";

  @Parameters(
      paramLabel = "RUN|FILE",
      arity = "1..2",
      description = {
        "RUN: the folder of a run, or a recording; left out with --topic.",
        "FILE: the file to write; - is standard output."
      })
  private List<Path> words = new ArrayList<>();

  @Option(
      names = "--topic",
      paramLabel = "PREFIX",
      description =
          "Reads topics on a Kafka: PREFIX.facts of a run of Sluice, if it exists, else the topic"
              + " itself.")
  private @Nullable String topic;

  @Option(
      names = "--bootstrap",
      paramLabel = "HOST:PORT",
      description = "The Kafka of the topics (default: " + BOOTSTRAP + ").")
  private @Nullable String bootstrap;

  @Option(
      names = "--kafka-config",
      paramLabel = "FILE",
      description = "Java properties of the clients of that Kafka: SASL, TLS.")
  private @Nullable Path kafkaConfig;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description =
          "First record: an instant (2026-11-20T09:00Z), a time into the topic (10m, 1h30m), or"
              + " offset:N.")
  private @Nullable String from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      description = "End, as --from; a time counts from --from where that is a time.")
  private @Nullable String to;

  @Option(
      names = "--fields",
      paramLabel = "NAME=FIELD,…",
      description =
          "Fields of the JSON values of a topic that is not Sluice's; NAME is time, class,"
              + " workload, backend, precision, samples or slo_ms. Without time each record's own"
              + " timestamp counts.")
  private @Nullable String fields;

  @Option(
      names = "--whole",
      description = "Records everything that a run's topics hold, not the requests alone.")
  private boolean whole;

  @Option(
      names = "--salvage",
      description = "Takes the whole lines of a recording that was cut short.")
  private boolean salvage;

  @Option(names = "--force", description = "Replaces a recording that is there already.")
  private boolean force;

  @Override
  public Integer call() throws Exception {
    Recorder.Options options = options();
    return new Recorder(options, Console.ofJson(options.isStandardOutput())).execute();
  }

  private Recorder.Options options() throws UserMistakeException {
    Path file = words.get(words.size() - 1);
    if (topic != null) {
      if (words.size() > 1) {
        throw new UserMistakeException(
            words.get(0).toString(),
            "--topic stands in the place of a run",
            "you want one of the two, and the file to write");
      }
      refuse(salvage, "--salvage", "topics are not cut short as files are");
      var topics =
          new Recorder.TopicOptions(
              topic, bootstrap == null ? BOOTSTRAP : bootstrap, kafkaConfig, from, to, fields);
      return new Recorder.Options(null, topics, file, whole, false, force);
    }
    UserMistakeException.throwIf(
        words.size() < 2,
        file.toString(),
        "either a run or the file to write is missing",
        "you meant ./sluice record " + file + " requests.jsonl.gz, or --topic PREFIX " + file);
    refuse(bootstrap != null, "--bootstrap", "a run's folder is read without a Kafka");
    refuse(kafkaConfig != null, "--kafka-config", "a run's folder is read without a Kafka");
    refuse(from != null, "--from", "a run is recorded whole; replay has --from");
    refuse(to != null, "--to", "a run is recorded whole; replay has --to");
    refuse(fields != null, "--fields", "a run's requests have all their fields");
    return new Recorder.Options(words.get(0), null, file, whole, salvage, force);
  }

  private static void refuse(boolean given, String option, String why) throws UserMistakeException {
    UserMistakeException.throwIf(given, option, why, "you want to leave it out, or --topic PREFIX");
  }
}
