package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What each command's {@code --help} says of its exit statuses, held to docs/results.md. */
final class ExitStatusesTest {
  /** Exit statuses by the command's whole name, of the commands that list theirs. */
  private static Map<String, Map<String, String>> lists() {
    Map<String, Map<String, String>> lists = new LinkedHashMap<>();
    collect("", Sluice.commandLine(), lists);
    assertThat(lists).containsKeys("run", "check", "simulate", "replay", "analyze", "layers run");
    return lists;
  }

  private static void collect(
      String prefix, CommandLine command, Map<String, Map<String, String>> lists) {
    command
        .getSubcommands()
        .forEach(
            (name, sub) -> {
              Map<String, String> list = sub.getCommandSpec().usageMessage().exitCodeList();
              if (!list.isEmpty()) {
                lists.put(prefix + name, list);
              }
              collect(prefix + name + " ", sub, lists);
            });
  }

  @Test
  void areOfThoseThatTheDocumentsKnow() {
    lists()
        .forEach(
            (name, list) ->
                assertThat(list.keySet().stream().map(String::strip))
                    .as(name)
                    .contains("0", "1", "2")
                    .isSubsetOf("0", "1", "2", "3", "4", "5", "130"));
  }

  @Test
  void say3OfWhatWasMissedAlone() {
    lists()
        .forEach(
            (name, list) ->
                assertThat(list.getOrDefault("3", "a threshold was missed"))
                    .as(name)
                    .containsAnyOf("a threshold was missed", "missed its goal", "B is worse")
                    .doesNotContain("undecided", "late", "fault", "fail", "plan", "decision"));
  }

  @Test
  void say4WhereAThresholdMayBeUndecided_and5WhereFaultsAreFound() {
    lists()
        .forEach(
            (name, list) -> {
              if (list.getOrDefault("3", "").contains("threshold")) {
                assertThat(list.get("4")).as(name).contains("nothing of the policy", "undecided");
              }
            });
    for (String name : new String[] {"check", "replay", "plan", "sweep", "simulate"}) {
      assertThat(lists().get(name)).as(name).containsKey("5");
    }
  }
}
