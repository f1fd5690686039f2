package dev.sluice.analytics.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.check.CheckReport.Fault;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class FindingsTest {
  private final Findings findings = new Findings();

  @Test
  void aRuleThatLookedAtNothing_saysSo() {
    findings.looked(Rule.TIME, 2);
    findings.looked(Rule.LANE, 0);
    CheckReport report = findings.report("run", Set.of(Rule.TIME, Rule.LANE));
    assertThat(report.looked()).isEqualTo(Map.of(Rule.TIME, 2L));
    assertThat(report.leftOut()).isEqualTo(Map.of(Rule.LANE, "there was nothing to look at"));
    assertThat(report.passed()).isTrue();
  }

  @Test
  void theVerdictCountsEverything() {
    findings.rows(5);
    findings.number();
    findings.rests("memory_bytes");
    findings.looked(Rule.TIME, 2);
    assertThat(findings.report("run", Set.of(Rule.TIME)).verdict())
        .isEqualTo("passed: 1 numbers of 2, 5 rows, 1 rules");

    findings.fault(Rule.LANE_OVERLAP, "dispatches.csv:3", "overlaps");
    findings.fault(Rule.LANE_OVERLAP, "dispatches.csv:4", "overlaps");
    assertThat(findings.report("run", Set.of(Rule.TIME)).verdict())
        .isEqualTo("failed: 2 faults against [lane-overlap] in 1 numbers of 2, 5 rows, 1 rules");
  }

  @Test
  void findingsOfAnotherCheck_areAdded() {
    findings.rows(5);
    findings.number();
    findings.looked(Rule.TIME, 2);
    var others = new Findings();
    others.rows(7);
    others.number();
    others.rests("processors");
    others.looked(Rule.TIME, 3);
    others.fault(Rule.LANE, "trace.csv:2", "is none");
    findings.add(others);
    CheckReport report = findings.report("run", Set.of());
    assertThat(report.extent()).isEqualTo(new CheckReport.Extent(12, 2, 3, List.of("processors")));
    assertThat(report.looked()).isEqualTo(Map.of(Rule.TIME, 5L));
    assertThat(report.faultCounts()).isEqualTo(Map.of(Rule.LANE, 1L));
    assertThat(report.faults()).containsExactly(new Fault(Rule.LANE, "trace.csv:2", "is none"));
  }

  @Test
  void eachRuleHasAMeaning() {
    assertThat(Rule.values()).allSatisfy(rule -> assertThat(rule.meaning()).isNotBlank());
  }
}
