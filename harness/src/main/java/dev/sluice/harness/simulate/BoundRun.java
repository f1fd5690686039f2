package dev.sluice.harness.simulate;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.analytics.report.TextTable;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.simulate.ExperimentBound.Good;
import dev.sluice.producer.requests.JobKind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The bound on good jobs of one experiment, for a person or as JSON. */
public record BoundRun(
    Path config, List<String> overrides, @Nullable Path profile, Console console) {
  private static final String RELAXED =
      "the future is known, hops take no time, every model is in memory, and memory has no end";

  private static final String RELAXED_FLUID =
      "; jobs move between lanes and shards, are interrupted, and are good in part";

  public int execute() throws UserMistakeException {
    var bound =
        ExperimentBound.of(
            ExperimentFile.read(config, overrides, Registries.vocabulary()), profile);
    Map<String, Good> goods = new LinkedHashMap<>();
    Good all = bound.good(kind -> true, null);
    goods.put("all", all);
    List<String> classes =
        bound.requests().kinds().stream().map(JobKind::classType).distinct().sorted().toList();
    for (String one : classes.size() == 1 ? List.<String>of() : classes) {
      goods.put(one, bound.good(kind -> kind.classType().equals(one), null));
    }
    String relaxed = RELAXED + (all.optimum() ? "" : RELAXED_FLUID);
    Experiment experiment = bound.parsed().experiment();
    console.step("Bound of " + experiment.runName() + ", for every scheduler");
    console.item(
        "requests",
        String.format(
            Locale.ROOT,
            "%,d, of which %,d count, in the measured window of %s s; seed %d",
            bound.requests().size(),
            all.jobs(),
            Decimals.plain(experiment.load().measuredSeconds()),
            experiment.seed()));
    console.item("lanes", Integer.toString(bound.lanes()));
    console.item("service times", bound.serviceTimes().get(0));
    bound.serviceTimes().stream().skip(1).forEach(note -> console.item("", note));
    console.item("relaxed", relaxed);
    console.step("");
    console.line(table(goods, experiment.load().measuredSeconds()).stripTrailing());
    console.result(json(bound, goods, relaxed));
    return ExitStatus.DONE;
  }

  private static String table(Map<String, Good> goods, double seconds) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("jobs that count", "jobs", "good at most", "share", "jobs/s", ""));
    goods.forEach(
        (name, good) ->
            rows.add(
                List.of(
                    name,
                    Integer.toString(good.jobs()),
                    Integer.toString(good.goodMax()),
                    String.format(Locale.ROOT, "%.2f %%", 100 * good.share()),
                    Decimals.short3(good.goodMax() / seconds),
                    good.optimum() ? "optimum" : "bound")));
    return TextTable.fitted(rows, Set.of(0, rows.get(0).size() - 1));
  }

  private static String json(ExperimentBound bound, Map<String, Good> goods, String relaxed) {
    Experiment experiment = bound.parsed().experiment();
    double seconds = experiment.load().measuredSeconds();
    ObjectNode top = JsonNodeFactory.instance.objectNode();
    top.put("run_name", experiment.runName());
    top.put("seed", experiment.seed());
    top.put("requests", bound.requests().size());
    top.put("request_digest", bound.requests().digest());
    top.put("measured_seconds", seconds);
    top.put("lanes", bound.lanes());
    bound.serviceTimes().forEach(top.putArray("service_times")::add);
    top.put("relaxed", relaxed);
    ObjectNode jobs = top.putObject("jobs");
    goods.forEach(
        (name, good) ->
            jobs.putObject(name)
                .put("count", good.jobs())
                .put("good_max", good.goodMax())
                .put("good_share_max", good.share())
                .put("goodput_jobs_sec_max", good.goodMax() / seconds)
                .put("optimum", good.optimum()));
    return top.toPrettyString() + "\n";
  }
}
