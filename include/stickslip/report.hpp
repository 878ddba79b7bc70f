/// Results for people: figures as SVG, pages as one HTML file that needs nothing else, tables as text.
///   Page page{.title = "Servo axis"};
///   page.blocks.push_back(FigureBlock{figure, "residuals"});
///   write_whole("axis.html", to_html(page));
#pragma once

#include "core/error.hpp"
#include "files/whole_file.hpp"
#include "report/figure.hpp"
#include "report/page.hpp"
#include "report/svg.hpp"
#include "report/table.hpp"
