package dev.sluice.sweep.config;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Section;
import dev.sluice.sweep.config.Grid.Axis;
import dev.sluice.sweep.config.Grid.Group;
import dev.sluice.sweep.config.Grid.League;
import dev.sluice.sweep.config.Grid.Mode;
import dev.sluice.sweep.config.Grid.Setting;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the part of a grid that compares policies over cells. */
final class LeagueReader {
  private final Problems problems;

  LeagueReader(Problems problems) {
    this.problems = problems;
  }

  /** The comparison; null if the grid names none, or the part has a mistake. */
  @Nullable League read(Section top, Mode mode, List<Axis> axes, @Nullable String repeatOver) {
    Section section = top.section("league");
    if (!top.has("league")) {
      return null;
    }
    Place place = top.place("league");
    if (mode != Mode.CAPACITY || repeatOver == null) {
      problems.error(
          place,
          "a league compares capacities, repeat by repeat",
          "mode: capacity is meant, and repeat_over: seed");
    }
    String cells = section.requiredText("cells", "setting");
    String policies = section.requiredText("policies", "scheduler_name");
    String ours = section.requiredText("ours", "slack");
    Set<String> words = new LinkedHashSet<>();
    values(section, "cells", cells, axes).forEach(name -> words.addAll(League.words(name)));
    List<String> names = values(section, "policies", policies, axes);
    check(section.place("ours"), "league.ours", ours, names, "policies of the grid");
    List<String> others = section.texts("others");
    others.forEach(
        other ->
            check(section.place("others"), "league.others", other, names, "policies of the grid"));
    if (others.isEmpty() || others.contains(ours)) {
      problems.error(
          section.place("others"),
          "league.others must name the policies that " + ours + " is compared with",
          "you meant others: [fifo, dynamic]");
    }
    String shown = section.text("shown", "");
    if (!shown.isEmpty()) {
      check(section.place("shown"), "league.shown", shown, words, "words of cells' names");
    }
    List<Group> groups = new ArrayList<>();
    Section grouped = section.section("groups");
    for (String name : grouped.keys()) {
      Section group = grouped.section(name);
      groups.add(new Group(name, known(group, "all", words), known(group, "any", words)));
      group.end();
    }
    section.end();
    return new League(cells, policies, ours, others, shown, groups);
  }

  private Set<String> known(Section group, String key, Set<String> words) {
    Set<String> known = new LinkedHashSet<>(group.texts(key));
    known.forEach(
        word -> check(group.place(key), group.name(key), word, words, "words of cells' names"));
    return known;
  }

  private List<String> values(Section section, String key, String axis, List<Axis> axes) {
    for (Axis one : axes) {
      if (one.key().equals(axis)) {
        return one.values().stream().map(Setting::text).toList();
      }
    }
    if (!axes.isEmpty()) {
      problems.error(
          section.place(key),
          "league." + key + " (" + axis + ") is no key of grid",
          NearestName.advice(axis, axes.stream().map(Axis::key).toList(), "keys of grid"));
    }
    return List.of();
  }

  private void check(
      Place place, String key, String name, Collection<String> known, String plural) {
    if (!known.isEmpty() && !known.contains(name)) {
      problems.error(
          place, key + " (" + name + ") is unknown", NearestName.advice(name, known, plural));
    }
  }
}
