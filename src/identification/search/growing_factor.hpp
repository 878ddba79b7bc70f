/// A least-squares problem that grows and shrinks by one column at a time, from the products of all columns.
///   G = L Lᵀ over the columns in use,  L y = Φᵀ F,  J = ‖F‖² − ‖y‖²                                  (1)
/// A new column costs one row of L; leaving the last ones out again costs nothing. A column that depends on those before
/// it (its pivot below 1e-13 of its square) explains nothing and is passed over.
/// Not here: bounds; with them (1) is a lower bound of the cost.
#pragma once

#include <Eigen/Dense>
#include <cassert>
#include <cmath>
#include <vector>

namespace stickslip::inline identification {

class GrowingFactor {
 public:
  /// `products`: of all columns, both triangles, F the last one. They must outlive this.
  GrowingFactor(const Eigen::MatrixXd& products, std::size_t most)
      : products_(products), most_(most), column_(most), rows_(most * most), right_(most) {
    clear();
  }

  void clear() {
    size_ = 0;
    cost_.assign(1, products_(products_.rows() - 1, products_.rows() - 1));
    cost_.reserve(most_ + 1);
  }
  std::size_t size() const { return size_; }
  /// Back to the first `size` columns.
  void shrink(std::size_t size) {
    size_ = size;
    cost_.resize(size + 1);
  }
  void push(Eigen::Index column) {
    assert(size_ < most_);
    const double* g = products_.col(column).data();
    double* row = &rows_[size_ * most_];
    double rest = g[column], explained = g[products_.rows() - 1];
    for (std::size_t j = 0; j < size_; ++j) {
      const double* other = &rows_[j * most_];
      double entry = g[column_[j]];
      for (std::size_t k = 0; k < j; ++k) entry -= row[k] * other[k];
      entry *= other[j];  // the diagonal holds its reciprocal, 0 for a column passed over
      row[j] = entry;
      rest -= entry * entry;
      explained -= entry * right_[j];
    }
    const double inverse = rest > 1e-13 * g[column] ? 1 / std::sqrt(rest) : 0;
    row[size_] = inverse;
    right_[size_] = explained * inverse;
    column_[size_] = column;
    cost_.push_back(cost_.back() - right_[size_] * right_[size_]);
    ++size_;
  }
  /// J of eq. (1).
  double cost() const { return cost_.back(); }

 private:
  const Eigen::MatrixXd& products_;
  std::size_t most_, size_ = 0;
  std::vector<Eigen::Index> column_;
  std::vector<double> rows_, right_, cost_;
};

}  // namespace stickslip::inline identification
